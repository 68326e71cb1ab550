/**
 * Finds processes that outlived the tests. A run of a suite has a folder of its own for temporary files; whoever has
 * it in the environment (which children inherit, however far they run away) or on the command line (as the databases do,
 * which are started with a clean environment) belongs to the run. Linux only: elsewhere neither can be read.
 */
import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

const GRACE_MS = 5_000;

/**
 * Gives those that are just ending the time to do so.
 * @param {string} folder the TMPDIR of the run
 * @param {number} [graceMs]
 * @returns {Promise<string[]>} what is still there, as `pid command`
 */
export async function leftRunning(folder, graceMs = GRACE_MS) {
  const deadline = Date.now() + graceMs;
  let found = ofRun(folder);
  while (found.length > 0 && Date.now() < deadline) {
    await sleep(100);
    found = ofRun(folder);
  }
  return found;
}

/** @param {string} folder */
function ofRun(folder) {
  if (process.platform !== "linux") return [];
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid);
  return pids
    .map((pid) => ({ pid, command: partsOf(pid, "cmdline"), environment: partsOf(pid, "environ") }))
    .filter(({ command, environment }) => command.some(names(folder)) || environment.includes(`TMPDIR=${folder}`))
    .map(({ pid, command }) => `${pid} ${command.join(" ")}`);
}

/** @param {string} folder @returns {(part: string) => boolean} */
const names = (folder) => (part) => part.includes(`${folder}/`);

/** @param {string} pid @param {"environ" | "cmdline"} file @returns {string[]} */
function partsOf(pid, file) {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8").split("\0").filter(Boolean);
  } catch {
    return []; // ended meanwhile, or somebody else's
  }
}
