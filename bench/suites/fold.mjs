import { evolveAll, initialState } from "@runledger/core";
import { stepCompleted } from "../lib/events.mjs";
import { compact, median } from "../lib/rounds.mjs";

const EVENTS = 400_000;

/** @type {import("../lib/suite.mjs").Suite} */
export default {
  name: "fold",
  measure: "events/s in millions, the lower of 100 and 100,000 steps",
  target: 1,
  reach: "at least",
  async run(bench) {
    const rates = [100, 100_000].map((steps) => ({ steps, rate: rateOf(bench, steps) }));
    const ratio = Math.min(...rates.map(({ rate }) => rate)) / 1e6;
    return { ratio, details: rates.map(({ steps, rate }) => `${compact(rate)} events/s at ${steps} steps`) };
  },
};

/**
 * @param {import("../lib/suite.mjs").Bench} bench
 * @param {number} steps
 */
function rateOf(bench, steps) {
  const log = history(steps);
  const rounds = Array.from({ length: bench.rounds + 2 }, () => {
    const start = performance.now();
    const state = evolveAll(initialState("run"), log);
    const seconds = (performance.now() - start) / 1000;
    if (state.stepCount !== steps) throw new Error(`${state.stepCount} steps were folded, not ${steps}.`);
    return log.length / seconds;
  });
  return median(rounds.slice(2)); // the first two are the compiler's
}

/**
 * Steps that start and complete, one attempt after the other.
 * @param {number} steps
 * @returns {import("@runledger/contracts").CanonicalEngineEvent[]}
 */
function history(steps) {
  const templates = Array.from({ length: steps }, (_, step) => stepCompleted("run", step));
  return Array.from({ length: EVENTS }, (_, index) => {
    const place = index >> 1;
    const template = /** @type {(typeof templates)[number]} */ (templates[place % steps]);
    const logicalAttemptId = String(Math.floor(place / steps) + 1);
    return {
      ...template,
      runSeq: index + 1,
      logicalAttemptId,
      eventType: index % 2 === 0 ? "StepStarted" : "StepCompleted",
    };
  });
}
