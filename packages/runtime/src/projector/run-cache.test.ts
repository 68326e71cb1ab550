// @module-tag R-07
import { expect, test } from "vitest";
import { newEvent } from "@runledger/contracts";
import { evolveAll, initialState } from "@runledger/core";
import { RunCache, unknownRun, type KnownRun } from "./run-cache.js";

const KB = 1024;

/** A run with this many steps, and details of this size. */
function runOf(runId: string, { steps = 0, bytes = 0 } = {}): KnownRun {
  const events = Array.from({ length: steps }, (_, n) => ({
    ...newEvent({ runId, eventType: "StepStarted", stepId: `step-${n}`, planVersion: "1" }),
    runSeq: n + 1,
  }));
  const state = evolveAll(initialState(runId), events as Parameters<typeof evolveAll>[1]);
  return { ...unknownRun(runId), state: { ...state, userState: "x".repeat(bytes) } };
}

test("runs with large states are evicted by their size, the oldest first", () => {
  const cache = new RunCache(1024 * KB);
  for (let n = 0; n < 100; n++) cache.put(runOf(`r${n}`, { bytes: 100 * KB }));
  expect(cache.size).toBe(10);
  expect(cache.get("r89")).toBeUndefined();
  expect(cache.get("r90")).toBeDefined();
});

test("runs with many steps are evicted by their size", () => {
  const cache = new RunCache(1024 * KB);
  for (let n = 0; n < 50; n++) cache.put(runOf(`r${n}`, { steps: 950 }));
  expect(cache.size).toBeLessThan(12); // a step takes at least 100 bytes
  expect(cache.get("r49")?.state.steps.rows()).toHaveLength(950);
});

test("a run counts once, no matter how often it changes", () => {
  const cache = new RunCache(1024 * KB);
  cache.put(runOf("other", { bytes: 100 * KB }));
  const run = runOf("r", { steps: 200 });
  for (let n = 0; n < 1000; n++) cache.put(run, run.state.steps.rows());
  expect(cache.get("other")).toBeDefined();
  cache.forget("r");
  cache.forget("other");
  for (let n = 0; n < 10; n++) cache.put(runOf(`r${n}`, { bytes: 100 * KB }));
  expect(cache.size).toBe(10);
});
