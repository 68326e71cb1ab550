/** Runs a part of Runledger in its own process, so that its memory and CPU time can be measured separately. */
import { fork } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";

/**
 * @typedef {object} Usage
 * @property {number} cpuMs
 * @property {number} maxRssMb
 *
 * @typedef {object} ChildProcess
 * @property {() => Promise<Usage>} usage since its start
 * @property {() => Promise<void>} stop
 */

/** @param {string} url of the store */
export const startWorker = (url) => start("worker-process.mjs", [url]);

/**
 * @param {string} url of the store
 * @param {readonly ("projector" | "scheduler" | "outbox")[]} parts
 */
export const startFollowers = (url, parts) => start("follower-process.mjs", [url, ...parts]);

/**
 * Measures its share of a CPU for `ms` milliseconds.
 * @param {ChildProcess} child
 * @param {number} ms
 */
export async function shareOf(child, ms) {
  const [before, began] = [await child.usage(), performance.now()];
  await sleep(ms);
  return ((await child.usage()).cpuMs - before.cpuMs) / (performance.now() - began);
}

/**
 * @param {string} file of this folder; it sends a message when it is ready, and answers `usage` and `stop`
 * @param {string[]} args
 * @returns {Promise<ChildProcess>}
 */
async function start(file, args) {
  const child = fork(fileURLToPath(new URL(file, import.meta.url)), args);
  const answer = () =>
    new Promise((resolve, reject) => {
      child.once("message", resolve);
      child.once("exit", () => reject(new Error(`The process of ${file} has exited.`)));
    });
  await answer();
  return {
    usage: () => {
      const answered = answer();
      child.send("usage");
      return /** @type {Promise<Usage>} */ (answered);
    },
    stop: async () => {
      const ended = new Promise((resolve) => void child.once("exit", resolve));
      child.send("stop");
      await ended;
    },
  };
}
