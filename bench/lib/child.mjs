/** A worker in a process of its own: its memory and its processor time are nobody else's. */
import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";

/**
 * @typedef {object} Usage
 * @property {number} cpuMs
 * @property {number} maxRssMb
 *
 * @typedef {object} WorkerProcess
 * @property {() => Promise<Usage>} usage since it began
 * @property {() => Promise<void>} stop
 */

/**
 * @param {string} url of the store
 * @returns {Promise<WorkerProcess>}
 */
export async function startWorker(url) {
  const child = fork(fileURLToPath(new URL("worker-process.mjs", import.meta.url)), [url]);
  const answer = () =>
    new Promise((resolve, reject) => {
      child.once("message", resolve);
      child.once("exit", () => reject(new Error("The worker's process has ended.")));
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
