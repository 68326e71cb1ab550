import { spawn } from "node:child_process";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { median } from "../lib/rounds.mjs";

const REPOSITORY = fileURLToPath(new URL("../..", import.meta.url));
const STARTS = 3;

/** @type {import("../lib/suite.mjs").Suite} */
export default {
  name: "cold-start",
  measure: "seconds from `npm start` in a fresh folder to the console's page and its script; nothing is cached",
  target: 15,
  reach: "at most",
  async run(bench) {
    /** @type {number[]} */
    const seconds = [];
    for (let start = 0; start < STARTS; start++) {
      seconds.push(await coldStart());
      bench.say(`start ${start + 1}: ${seconds.at(-1)?.toFixed(1)} s`);
    }
    return { ratio: median(seconds), details: [`${seconds.map((each) => each.toFixed(1)).join(", ")} s`] };
  },
};

async function coldStart() {
  const folder = await mkdtemp(join(tmpdir(), "runledger-bench-start-"));
  await chmod(folder, 0o755); // as root the server runs as another user, who must get through here
  const began = performance.now();
  const child = spawn("npm", ["start", "--", "--port", "0", "--store", `embedded:${folder}/data`], {
    cwd: REPOSITORY,
    env: { ...process.env, XDG_CACHE_HOME: join(folder, "cache") },
    stdio: ["ignore", "pipe", "inherit"],
    detached: true,
  });
  try {
    await firstScreen(await consoleAddress(child.stdout));
    return (performance.now() - began) / 1000;
  } finally {
    await endGroup(/** @type {number} */ (child.pid));
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * @param {import("node:stream").Readable} output
 * @returns {Promise<URL>}
 */
async function consoleAddress(output) {
  for await (const line of createInterface({ input: output })) {
    const [address] = /https?:\S+/.exec(line) ?? [];
    if (line.startsWith("Console") && address !== undefined) {
      output.resume();
      return new URL(address);
    }
  }
  throw new Error("npm start exited without printing an address.");
}

/**
 * Fetches what a browser needs before it can render.
 * @param {URL} address
 */
async function firstScreen(address) {
  const page = await (await fetch(address)).text();
  const [, script] = /<script[^>]* src="([^"]+)"/.exec(page) ?? [];
  const { ok } = await fetch(new URL(script ?? "missing", address));
  if (!ok) throw new Error("The console's script is not there.");
}

/**
 * npm ends before what it started does; the second signal makes that hand over what it is at.
 * @param {number} pid
 */
async function endGroup(pid) {
  for (let looks = 0; ; looks++) {
    try {
      process.kill(-pid, looks % 10 === 0 ? "SIGTERM" : 0);
    } catch {
      return; // no process is left
    }
    await sleep(100);
  }
}
