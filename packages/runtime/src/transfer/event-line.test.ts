// @module-tag S-07
import type { CanonicalEngineEvent } from "@runledger/contracts";
import { expect, test } from "vitest";
import { eventLine } from "./event-line.js";

const least = {
  runId: 'run|"é',
  runSeq: 7,
  eventType: "StepCompleted",
  logicalAttemptId: "1",
  planVersion: "1.0.0",
  emittedAt: "2026-11-15T08:00:00.000Z",
  persistedAt: "2026-11-15T08:00:00.001Z",
  eventId: "e",
  idempotencyKey: "k",
};

test("an event's text does not depend on the key order of the store", () => {
  const data = { b: [{ z: 1, a: null }, []], "10": {}, "9": true, a: "日\n" };
  const line =
    '{"runId":"run|\\"é","runSeq":7,"eventType":"StepCompleted","logicalAttemptId":"1","planVersion":"1.0.0",' +
    '"emittedAt":"2026-11-15T08:00:00.000Z","persistedAt":"2026-11-15T08:00:00.001Z","eventId":"e","idempotencyKey":"k",' +
    '"eventData":{"10":{},"9":true,"a":"日\\n","b":[{"a":null,"z":1},[]]}}';
  expect(eventLine({ ...least, eventData: data })).toBe(line);
  expect(eventLine({ eventData: data, ...Object.fromEntries(Object.entries(least).reverse()) } as never)).toBe(line);
});

test("every field of an event is in its text and survives parsing", () => {
  const event: CanonicalEngineEvent = {
    ...least,
    stepId: "s",
    engineAttemptId: "2",
    planId: "p",
    causedBySignalId: "sig",
    parentEventId: "e0",
    adapterVersion: "3",
    engineRunRef: { workflowId: "w", runId: "r" },
    eventData: { ["__proto__"]: 1, list: [1, [2]] },
  };
  expect(JSON.parse(eventLine(event))).toEqual(event);
  expect(JSON.parse(eventLine({ ...least, eventData: null }))).toEqual({ ...least, eventData: null });
});
