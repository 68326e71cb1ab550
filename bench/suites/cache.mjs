/**
 * Reads the header of a finished run over HTTP. Both sides are servers on one database, in processes of their own: one with
 * the default cache and one without. With the cache, a read still fetches the run's head and the header of its projection,
 * to be sure that the entry is current. Without it, a read also fetches the output, and the artifacts of 1,000 steps.
 */
import { RunledgerClient } from "@runledger/client";
import { newEvent } from "@runledger/contracts";
import { connect } from "runledger";
import { describe, drive } from "../lib/callers.mjs";
import { startServe } from "../lib/cli.mjs";
import { newRunId } from "../lib/events.mjs";
import { alternate } from "../lib/rounds.mjs";

const STEPS = 1000;
const CALLERS = 16;
/** More than a round reads. */
const MOST = 100_000;

/** @type {import("../lib/suite.mjs").Suite} */
export default {
  name: "cache",
  measure: "header reads/s of a finished 1,000-step run over HTTP by 16 callers, with the default cache against none",
  target: 3,
  reach: "at least",
  async run(bench) {
    const url = await bench.database("cache");
    const runId = await finishedRun(url);
    const cached = await startServe(url, { RUNLEDGER_CACHE: "memory:" });
    const uncached = await startServe(url, { RUNLEDGER_CACHE: "none:" });
    const load = { callers: CALLERS, items: Array.from({ length: MOST }, (_, n) => n), forMs: bench.roundMs };
    try {
      const { ratio, ours, other } = await alternate(bench, async () => ({
        ours: () => drive({ ...load, call: reader(cached, runId) }),
        other: () => drive({ ...load, call: reader(uncached, runId) }),
      }));
      return { ratio, details: [inReads("with the cache", ours), inReads("without", other)] };
    } finally {
      await cached.stop();
      await uncached.stop();
    }
  },
};

/**
 * Records and projects a run.
 * @param {string} url
 */
async function finishedRun(url) {
  const ledger = await connect(url);
  const runId = newRunId();
  const plan = { runId, planId: "nightly-orders", planVersion: "1.4.0" };
  const steps = Array.from({ length: STEPS }, (_, n) => ({ ...plan, stepId: `model-${n}` }));
  const last = `model-${STEPS - 1}`;
  await ledger.store.appendEvents([
    newEvent({ ...plan, eventType: "RunStarted" }),
    ...steps.flatMap((step, n) => [
      newEvent({ ...step, eventType: "StepStarted" }),
      newEvent({ ...step, eventType: "StepCompleted", eventData: { output: { rows: n } } }),
    ]),
    newEvent({ ...plan, eventType: "RunCompleted", eventData: { outputFrom: last } }),
  ]);
  ledger.projector();
  const isProjected = async () => {
    const stored = await ledger.store.snapshots.readProjection({ runId, stepIds: [] });
    return stored?.header.lastEventSeq === 2 * STEPS + 2;
  };
  while (!(await isProjected())) await new Promise((resolve) => setTimeout(resolve, 20));
  await ledger.close();
  return runId;
}

/**
 * @param {{ url: string, token: string }} server
 * @param {string} runId
 */
function reader({ url, token }, runId) {
  const client = new RunledgerClient({ url, token });
  return async () => {
    const { status, output } = await client.getRun(runId);
    if (status !== "COMPLETED" || JSON.stringify(output) !== `{"rows":${STEPS - 1}}`)
      throw new Error(`The server returned ${status}, ${JSON.stringify(output)}`);
    return 1;
  };
}

/**
 * @param {string} who
 * @param {readonly import("../lib/callers.mjs").Throughput[]} rounds
 */
const inReads = (who, rounds) => describe(who, rounds).replace("events/s", "reads/s");
