import { newEvent } from "@runledger/contracts";
import { connect } from "runledger";
import { newRunIds } from "../lib/events.mjs";
import { alternate, median } from "../lib/rounds.mjs";

const LONG_STEPS = 100_000;
const SHORT_STEPS = 100;
/** Events that are projected in one round, on either side. */
const EVENTS = 4000;

/** @type {import("../lib/suite.mjs").Suite} */
export default {
  name: "projector-cost",
  measure: "time to project an event of a run that has 100,000 steps against one of runs that have 100",
  target: 2,
  reach: "at most",
  async run(bench) {
    const long = await side(await bench.database("projector-long"), 1, LONG_STEPS);
    bench.say(`a run of ${LONG_STEPS} steps is projected`);
    const short = await side(await bench.database("projector-short"), EVENTS / SHORT_STEPS, SHORT_STEPS);
    try {
      const { ratio, ours, other } = await alternate(bench, async () => {
        await long.write();
        await short.write();
        return { ours: long.project, other: short.project };
      });
      const about = (/** @type {string} */ who, /** @type {readonly { value: number }[]} */ rounds) =>
        `${who}: ${(1000 * median(rounds.map(({ value }) => value))).toFixed(0)} µs an event`;
      return { ratio, details: [about(`${LONG_STEPS} steps`, ours), about(`${SHORT_STEPS} steps`, other)] };
    } finally {
      await long.close();
      await short.close();
    }
  },
};

/**
 * Runs that have all their steps already; each round goes over some of them again.
 * @param {string} url
 * @param {number} runs
 * @param {number} steps
 */
async function side(url, runs, steps) {
  const ledger = await connect(url);
  const runIds = newRunIds(runs);
  const perRun = EVENTS / runs;
  let attempt = 1;
  const append = async (/** @type {number} */ from, /** @type {number} */ count) => {
    const events = runIds.flatMap((runId) =>
      Array.from({ length: count }, (_, n) => stepCompleted(runId, `tables/${(from + n) % steps}/analyze`, attempt)),
    );
    for (let at = 0; at < events.length; at += 500) await ledger.store.appendEvents(events.slice(at, at + 500));
  };
  const project = () => ledger.list().page({ limit: 1 }); // where no projector runs, asking projects
  for (let from = 0; from < steps; from += perRun) await append(from, Math.min(perRun, steps - from));
  await project();
  return {
    write: async () => {
      attempt++;
      await append((attempt * 7919) % steps, perRun);
    },
    project: async () => {
      const began = performance.now();
      await project();
      return { value: (performance.now() - began) / EVENTS };
    },
    close: () => ledger.close(),
  };
}

/**
 * @param {string} runId
 * @param {string} stepId
 * @param {number} attempt
 */
function stepCompleted(runId, stepId, attempt) {
  return newEvent({
    runId,
    stepId,
    eventType: "StepCompleted",
    logicalAttemptId: String(attempt),
    planId: "nightly-orders",
    planVersion: "1.4.0",
    eventData: { output: { rows: attempt } },
  });
}
