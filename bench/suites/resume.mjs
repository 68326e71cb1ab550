import { compact as compacted, evolveAll, initialState, toCheckpoint } from "@runledger/core";
import { newEvent } from "@runledger/contracts";
import { newDecider } from "@runledger/runtime/engine/decider";
import { RunLog } from "@runledger/runtime/engine/run-log";
import { SpeculativeRun } from "@runledger/runtime/engine/speculative-run";
import { compiledOf } from "@runledger/runtime/workflow/compiled-workflow";
import { openStore } from "../lib/ledger.mjs";
import { median } from "../lib/rounds.mjs";
import { wide } from "../lib/workflows.mjs";

const EVENTS = 1_000_000;
const BATCH = 500;
/** Events behind the checkpoint: what a worker may lose between two of them. */
const TAIL = 100;
const STATE = { blob: "x".repeat(100_000) };

/** @typedef {Omit<Parameters<typeof newEvent>[0], "runId" | "planVersion">} Draft */

/** @type {import("../lib/suite.mjs").Suite} */
export default {
  name: "resume",
  measure: "a run of 1,000,000 events with 100 KB of state, from its checkpoint against its full replay",
  target: 0.01,
  reach: "at most",
  async run(bench) {
    const store = await openStore(await bench.database("resume"));
    const workflow = compiledOf(wide);
    const { planId, planVersion } = workflow.plan;
    const runId = "run-resume";
    const items = Math.floor((EVENTS - 3) / 2);
    let state = initialState(runId);
    /** @param {readonly Draft[]} drafts */
    const append = async (drafts, options = {}) => {
      const made = drafts.map((draft) => newEvent({ runId, planId, planVersion, ...draft }));
      await store.appendEvents(made, options);
      const first = state.lastEventSeq + 1;
      state = evolveAll(
        state,
        made.map((event, index) => ({ ...event, runSeq: first + index })),
      );
    };
    await append(begin(items));
    for (let item = 0; item < items; item += BATCH / 2) {
      const last = item + BATCH / 2 >= items;
      state = compacted(workflow.plan, state);
      const at = items - TAIL / 2 - BATCH;
      const checkpoint = item >= at && item < at + BATCH / 2 ? { checkpoint: toCheckpoint(state) } : {};
      const events = Array.from({ length: Math.min(BATCH / 2, items - item) }, (_, index) => both(item + index)).flat();
      await append(events, checkpoint);
      if (item % 100_000 < BATCH / 2 || last) bench.say(`${state.lastEventSeq} events`);
    }
    const load = async (/** @type {number} */ epoch) => {
      const facts = { runId, store, workflow, epoch, now: Date.now };
      const run = new SpeculativeRun(facts, newDecider(workflow.plan), true);
      const log = new RunLog(facts, run);
      const began = performance.now();
      await log.load();
      const ms = performance.now() - began;
      if (run.state.lastEventSeq !== state.lastEventSeq) throw new Error("The whole log was not folded.");
      return ms;
    };
    await load(2);
    const resumed = median(await inTurn(9, () => load(2)));
    const replayed = await load(1); // no worker has driven it, so there is no checkpoint
    await store.close();
    const details = [`${resumed.toFixed(1)} ms from the checkpoint, ${(replayed / 1000).toFixed(1)} s by full replay`];
    return { ratio: resumed / replayed, details };
  },
};

/** @type {(items: number) => Draft[]} */
const begin = (items) => [
  { eventType: "RunQueued", eventData: { input: { items }, state: STATE } },
  { eventType: "RunStarted" },
  { eventType: "StepStarted", stepId: "items", eventData: { opened: { count: items } } },
];

/** @type {(item: number) => Draft[]} */
const both = (item) => [
  { eventType: "StepStarted", stepId: `items/${item}/one` },
  { eventType: "StepCompleted", stepId: `items/${item}/one`, eventData: { output: item } },
];

/**
 * @template T
 * @param {number} times
 * @param {() => Promise<T>} work
 */
async function inTurn(times, work) {
  /** @type {T[]} */
  const results = [];
  for (let time = 0; time < times; time++) results.push(await work());
  return results;
}
