// @module-tag R-30
import type { CanonicalEngineEvent } from "@runledger/contracts";
import { compilePlan } from "@runledger/core";
import { expect, test } from "vitest";
import { WorkTime } from "./work-time.js";

const plan = compilePlan({
  id: "p",
  version: "1",
  body: {
    steps: [
      { id: "load", kind: "function" },
      { id: "each", kind: "forEach", bodies: [{ steps: [{ id: "item", kind: "function" }] }] },
      { id: "release", kind: "wait", signal: "release" },
    ],
  },
});

const event = (second: number, eventType: string, stepId?: string) =>
  ({ eventType, stepId, emittedAt: new Date(second * 1000).toISOString(), eventData: {} }) as CanonicalEngineEvent;

const idle = (to: number, events: readonly CanonicalEngineEvent[]) => {
  const work = new WorkTime(plan);
  work.add(events);
  return work.idleIn({ from: 0, to: to * 1000 }).map(({ from, to: end }) => [from / 1000, end / 1000]);
};

test("a delay before a retry and an operator's pause are idle", () => {
  const failed = [event(0, "StepStarted", "load"), event(2, "StepFailed", "load"), event(2, "RunFailed")];
  expect(idle(2, failed)).toEqual([]);
  expect(idle(100, [...failed, event(90, "StepStarted", "load")])).toEqual([[2, 90]]);
});

test("waits and containers are idle, and the steps in a container work", () => {
  const waiting = [event(0, "StepStarted", "release"), event(0, "StepStarted", "each")];
  expect(idle(60, waiting)).toEqual([[0, 60]]);
  const working = [event(5, "StepStarted", "each/0/item"), event(8, "StepCompleted", "each/0/item")];
  expect(idle(60, [...waiting, ...working])).toEqual([
    [0, 5],
    [8, 60],
  ]);
});

test("overlapping steps work until the last one finishes, and a finished run has no working steps", () => {
  const both = [event(0, "StepStarted", "load"), event(1, "StepStarted", "each/0/item")];
  expect(idle(9, [...both, event(4, "StepCompleted", "load")])).toEqual([]);
  expect(idle(9, [...both, event(4, "RunCancelled")])).toEqual([[4, 9]]);
});

test("a short pause between two steps is not idle", () => {
  const steps = [event(0, "StepStarted", "load"), event(1, "StepCompleted", "load")];
  expect(idle(3, [...steps, event(1.5, "StepStarted", "each/0/item")])).toEqual([]);
});
