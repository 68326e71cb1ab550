/** Starts hosts, gives them mutants, and replaces a host that a mutant keeps busy for too long. */
import { fork } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { inRepository } from "../lib/repository.mjs";

/**
 * @typedef {import("./host.mjs").Order} Order
 * @typedef {import("./host.mjs").Verdict} Verdict
 * @typedef {{ judge(order: Order): Promise<Verdict>, close(): Promise<void> }} Judge
 */

/** A host that reports nothing for so long is in an endless loop: each test has a time limit of its own, which is shorter. */
const SILENT_MS = 120_000;

/** @returns {Judge} */
export function openJudge() {
  /** @type {Promise<import("node:child_process").ChildProcess> | null} */
  let host = null;
  const close = async () => {
    const child = await host;
    host = null;
    if (child === null) return;
    const exited = once(child, "exit");
    child.disconnect();
    await Promise.race([exited, sleep(20_000, null, { ref: false }).then(() => child.kill("SIGKILL"))]);
  };
  return {
    judge: async (order) => {
      const child = await (host ??= startHost());
      const verdict = await answer(child, order);
      if (typeof verdict !== "string") return verdict;
      host = null;
      return { killed: true, by: "host", why: verdict, timedOut: true };
    },
    close,
  };
}

async function startHost() {
  const child = fork(inRepository("scripts/mutants/host.mjs"), {
    env: { ...process.env, NODE_ENV: "test" },
    stdio: ["ignore", "ignore", process.env["MUTANTS_VERBOSE"] === "1" ? "inherit" : "ignore", "ipc"],
    detached: true,
  });
  const [message] = /** @type {unknown[]} */ (await Promise.race([once(child, "message"), once(child, "exit")]));
  if (message !== "ready") throw new Error(`The host of the mutants did not start: ${String(message)}`);
  return child;
}

/**
 * @param {import("node:child_process").ChildProcess} child @param {Order} order
 * @returns {Promise<Verdict | string>} the reason if the host does not answer
 */
async function answer(child, order) {
  /** @type {(verdict: Verdict | string) => void} */
  let resolve = () => {};
  const decided = new Promise((/** @type {typeof resolve} */ decide) => (resolve = decide));
  const silent = setTimeout(() => resolve(`No test finished within ${SILENT_MS / 1000} s.`), SILENT_MS);
  const onMessage = (/** @type {Verdict | "progress"} */ message) => {
    if (message === "progress") silent.refresh();
    else resolve(message);
  };
  const onExit = () => resolve("The process that runs the tests exited.");
  child.on("message", onMessage).on("exit", onExit);
  child.send(order);
  const verdict = await decided;
  clearTimeout(silent);
  child.off("message", onMessage).off("exit", onExit);
  if (typeof verdict === "string") killGroup(child);
  return verdict;
}

/** The host's workers and database belong to its group. @param {import("node:child_process").ChildProcess} child */
function killGroup(child) {
  if (child.pid === undefined || child.exitCode !== null) return;
  try {
    process.kill(-child.pid, "SIGKILL");
  } catch {
    child.kill("SIGKILL");
  }
}
