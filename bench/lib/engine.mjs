/** Workflows of ten steps that do nothing, so that only the cost of the engine and its store is measured. */
import { connect, workflow } from "runledger";
import { POOL_SIZE } from "./driver.mjs";

export const STEPS = 10;
/** Events of one such run: queued, started, two per step, completed. */
export const EVENTS = 2 * STEPS + 3;

export const chain = workflow("bench-chain", { version: "1.0.0" }, (w) => {
  let last = w.step("step-0", () => 0);
  for (let index = 1; index < STEPS; index++) last = w.step(`step-${index}`, { after: [last] }, () => index);
  return last;
});

/**
 * One side of a comparison: runs one workflow to its end.
 * @typedef {{ runOne: () => Promise<unknown>, close: () => Promise<void> }} Engine
 */

/**
 * @param {string} url
 * @returns {Promise<Engine>}
 */
export async function openOurs(url) {
  const ledger = await connect(url);
  await ledger.worker({ workflows: [chain] });
  return {
    runOne: async () => (await ledger.start(chain)).result(),
    close: () => ledger.close(),
  };
}

/**
 * As a variable, and with what is used of it spelt out: its own types are there only once the peers are installed.
 * @type {string}
 */
const PEER = "@dbos-inc/dbos-sdk";

/**
 * @typedef {object} Dbos
 * @property {(config: Record<string, unknown>) => void} setConfig
 * @property {() => Promise<void>} launch
 * @property {() => Promise<void>} shutdown
 * @property {<T>(work: () => Promise<T>, options: { name: string }) => Promise<T>} runStep
 * @property {<T>(work: () => Promise<T>, options: { name: string }) => () => Promise<T>} registerWorkflow
 * @property {<T>(workflow: () => Promise<T>) => () => Promise<{ getResult: () => Promise<T> }>} startWorkflow
 */

/** @type {(() => Promise<number>) | null} */
let theirs = null;

/**
 * DBOS as its documentation sets it up, in this process, with a pool of the same size; its steps and workflows are
 * durable on the same server. There is one per process.
 * @param {string} url
 * @returns {Promise<Engine>}
 */
export async function openDbos(url) {
  const { DBOS } = /** @type {{ DBOS: Dbos }} */ (await import(PEER));
  DBOS.setConfig({ name: "bench", systemDatabaseUrl: url, systemDatabasePoolSize: POOL_SIZE, logLevel: "error" });
  const registered = (theirs ??= DBOS.registerWorkflow(
    async () => {
      let last = 0;
      for (let index = 0; index < STEPS; index++)
        last = await DBOS.runStep(async () => index, { name: `step-${index}` });
      return last;
    },
    { name: "bench-chain" },
  ));
  await DBOS.launch();
  return {
    runOne: async () => (await DBOS.startWorkflow(registered)()).getResult(),
    close: () => DBOS.shutdown(),
  };
}

/**
 * @param {Engine} engine
 * @param {{ callers: number, forMs: number }} load
 * @returns {Promise<import("./callers.mjs").Throughput>} steps per second; latencies are of whole runs
 */
export async function runMany({ runOne }, { callers, forMs }) {
  /** @type {number[]} */
  const latencies = [];
  const start = performance.now();
  const caller = async () => {
    for (let now = performance.now(); now - start < forMs;) {
      const sent = now;
      await runOne();
      now = performance.now();
      latencies.push(now - sent);
    }
  };
  await Promise.all(Array.from({ length: callers }, caller));
  const seconds = (performance.now() - start) / 1000;
  const steps = latencies.length * STEPS;
  return { value: steps / seconds, events: latencies.length * EVENTS, latencies: Float64Array.from(latencies) };
}
