/**
 * Finds processes that outlived the tests. A run of a suite has its own folder for temporary files. A process belongs
 * to the run if the folder is in its environment, which children inherit, or on its command line, as for databases, which
 * are started with a clean environment. Linux only: other systems do not allow reading either.
 */
import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

const GRACE_MS = 60_000; // generous, because a machine may be slow

/**
 * Waits for processes that are about to exit.
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

/**
 * Stops PostgreSQL servers of the run. Without `setpriv` the server of a killed owner stays until the next start on its
 * directory, and tests kill owners.
 * @param {string} folder the TMPDIR of the run
 */
export function stopOrphanedServers(folder) {
  const servers = ofRun(folder).filter((found) => /^\d+ \S*\/bin\/postgres -D /.test(found));
  for (const server of servers) process.kill(Number.parseInt(server, 10), "SIGQUIT");
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
    return []; // it has exited, or belongs to another user
  }
}
