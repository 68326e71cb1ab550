import type { CanonicalEngineEvent } from "@runledger/contracts";
import { expect, test } from "vitest";
import { Attempts } from "./attempts.js";

function event(runSeq: number, eventType: string, attempt: string): CanonicalEngineEvent {
  return {
    runId: "run",
    runSeq,
    eventId: String(runSeq),
    eventType,
    stepId: "load",
    logicalAttemptId: attempt,
    eventData: {},
    idempotencyKey: "",
    emittedAt: new Date(runSeq * 1000).toISOString(),
  };
}

const log = [
  event(1, "StepStarted", "1"),
  event(2, "StepFailed", "1"),
  event(3, "StepStarted", "2"),
  event(4, "StepStarted", "3"),
  event(5, "StepCompleted", "3"),
  event(6, "StepFailed", "3"),
];

test("attempts are those known at a seq, and one without an end is lost when the next one starts", () => {
  const attempts = new Attempts();
  attempts.add(log);
  expect(attempts.of("load", 3)).toEqual([
    { number: "1", from: 1000, to: 2000, outcome: "failed" },
    { number: "2", from: 3000, to: null, outcome: "running" },
  ]);
  expect(attempts.of("load", 6).map(({ outcome }) => outcome)).toEqual(["failed", "lost", "done"]); // F2
  expect(attempts.of("other", 6)).toEqual([]);
});
