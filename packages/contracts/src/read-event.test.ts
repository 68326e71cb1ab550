// @module-tag N-32
import { expect, expectTypeOf, test } from "vitest";
import { eventTypes, readEvent, readEventData, type RunError } from "./index.js";

const event = (eventType: string, eventData: unknown) => ({ runSeq: 7, eventType, eventData });

test("a known event has a typed payload, and keeps its other fields", () => {
  const read = readEvent(event("StepFailed", { error: { code: "BOOM", message: "it broke", retryable: true } }));
  expect(read).toEqual({
    runSeq: 7,
    eventType: "StepFailed",
    eventData: { error: { code: "BOOM", message: "it broke", retryable: true } },
  });
  if (read.eventType === "StepFailed") expectTypeOf(read.eventData.error).toEqualTypeOf<RunError>();
  else expect.unreachable();
});

test("an event of an unknown type passes through with its recorded type", () => {
  const data = { anything: [1] };
  expect(readEvent(event("StepCorrected", data))).toEqual({
    runSeq: 7,
    eventType: "unknown",
    recordedType: "StepCorrected",
    eventData: data,
  });
});

test("unknown fields are ignored, and fields of the wrong type count as absent", () => {
  const data = { output: 1, again: "yes", kept: null, patch: [], artifacts: {}, signalId: 3, color: "red" };
  expect(readEventData("StepCompleted", data)).toEqual({ output: 1 });
  expect(readEventData("RunQueued", { plan: { planId: 7, planVersion: "1" }, labels: null })).toEqual({
    plan: { planVersion: "1" },
  });
  expect(readEventData("RunQueued", { plan: "nightly" })).toEqual({});
  expect(readEventData("SignalAccepted", { namespace: "other", name: "go" })).toEqual({ name: "go" });
  expect(readEventData("SignalRejected", { namespace: "action", reason: "late" })).toEqual({
    namespace: "action",
    reason: "late",
  });
});

test("lists of steps keep only valid entries", () => {
  const range = { container: "each", from: 0, to: 3, step: "load" };
  expect(readEventData("StepsReset", { steps: ["a", 1, null, { ...range, to: "3" }, range] }).steps).toEqual([
    "a",
    range,
  ]);
  expect(readEventData("RunTakenOver", { epoch: 2, stepsInFlight: "a" })).toEqual({ epoch: 2, stepsInFlight: [] });
});

test.each(eventTypes)("no payload of %s makes the reader throw", (eventType) => {
  for (const data of [null, undefined, 1, "text", [], [1], {}, { error: 1, steps: 1, plan: 1 }]) {
    expect(readEvent(event(eventType, data)).eventType).toBe(eventType);
  }
});

test("a failure without an error has the code UNKNOWN", () => {
  const unknown = { code: "UNKNOWN", message: "", retryable: false };
  expect(readEventData("RunFailed", {})).toEqual({ error: unknown });
  expect(readEventData("StepFailed", { error: "boom" })).toEqual({ error: unknown });
});
