// @module-tag U-32
import { newEvent, type CanonicalEngineEvent } from "@runledger/contracts";
import { evolveAll, initialState, toRunSnapshot } from "@runledger/core";
import { expect, test } from "vitest";
import { History } from "./history.js";

const STEP_TYPES = ["StepStarted", "StepFailed", "StepStarted", "StepCompleted"];

/** Longer than the keyframe interval: steps that fail once and then succeed, in a run that is paused in between. */
const log = Array.from({ length: 1200 }, (_, index): CanonicalEngineEvent => {
  const eventType = index === 0 ? "RunStarted" : index === 700 ? "RunPaused" : STEP_TYPES[index % 4]!;
  const event = newEvent({
    runId: "run",
    planVersion: "1",
    eventType,
    ...(eventType.startsWith("Step") && { stepId: `step-${Math.floor(index / 4)}` }),
    logicalAttemptId: index % 4 < 2 ? "1" : "2",
    emittedAt: new Date(index * 1000).toISOString(),
    ...(eventType === "StepFailed" && { eventData: { error: { code: "E", message: "no", retryable: true } } }),
  });
  return { ...event, runSeq: index + 1 };
});

test("the state at every seq equals a fold of the log up to it", () => {
  const history = new History(initialState("run"));
  for (let from = 0; from < log.length; from += 170) history.append(log.slice(from, from + 170));
  for (const seq of [1, 2, 1199, 1200, 499, 500, 501, 1000, 3, 702, 700]) {
    const expected = evolveAll(initialState("run"), log.slice(0, seq));
    expect(toRunSnapshot(history.stateAt(seq))).toEqual(toRunSnapshot(expected));
  }
});

test("a history that starts at a keyframe has the same states", () => {
  const history = new History(evolveAll(initialState("run"), log.slice(0, 600)));
  history.append(log.slice(600));
  expect([history.baseSeq, history.lastSeq, history.event(601)?.runSeq]).toEqual([600, 1200, 601]);
  for (const seq of [600, 601, 1100, 1101, 1200]) {
    const expected = evolveAll(initialState("run"), log.slice(0, seq));
    expect(toRunSnapshot(history.stateAt(seq))).toEqual(toRunSnapshot(expected));
  }
});

test("events after a gap are not appended, and known events change nothing", () => {
  const history = new History(initialState("run"));
  history.append(log.slice(0, 10));
  expect(history.append([...log.slice(5, 12), ...log.slice(20, 30)]).map(({ runSeq }) => runSeq)).toEqual([11, 12]);
  expect(history.lastSeq).toBe(12);
});

test("P10: a history with numbers that stay missing has the state of every seq", () => {
  const gapped = log.filter(({ runSeq }) => runSeq < 3 || (runSeq > 5 && runSeq !== 700));
  const history = new History(initialState("run"));
  history.append(gapped, 700);
  expect([history.lastSeq, history.event(5), history.event(6)?.runSeq]).toEqual([1200, undefined, 6]);
  for (const seq of [1, 2, 3, 5, 6, 499, 505, 699, 700, 701, 1200]) {
    const known = gapped.filter(({ runSeq }) => runSeq <= seq);
    expect(toRunSnapshot(history.stateAt(seq))).toEqual(toRunSnapshot(evolveAll(initialState("run"), known)));
    expect(history.eventsUpTo(seq)).toEqual(known);
  }
});
