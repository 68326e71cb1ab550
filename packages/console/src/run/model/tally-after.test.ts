// @module-tag U-32
import { newEvent, type CanonicalEngineEvent } from "@runledger/contracts";
import { expect, test } from "vitest";
import { tallyAfter } from "./tally-after.js";

const event = (eventType: string, stepId: string, logicalAttemptId = "1"): CanonicalEngineEvent => ({
  ...newEvent({ runId: "run", planVersion: "1", eventType, stepId, logicalAttemptId }),
  runSeq: 1,
});

test("the counts of a container follow its events only", () => {
  const before = new Map([["tables", { done: 5, failed: 1, running: 2, waiting: 0, skipped: 0 }]]);
  const after = tallyAfter(before, [
    event("StepCompleted", "tables/3/load"),
    event("StepStarted", "tables/9/load"),
    event("StepStarted", "tables/4/load", "2"),
    event("StepFailed", "tables/4/load", "2"),
    event("StepCompleted", "report"),
    event("StepCompleted", "compensate/tables/3/load"),
    event("StepStarted", "others/0/load"),
  ]);
  expect(after.get("tables")).toEqual({ done: 6, failed: 1, running: 2, waiting: 0, skipped: 0 });
  expect(after.get("others")).toEqual({ done: 0, failed: 0, running: 1, waiting: 0, skipped: 0 });
  expect(before.get("tables")?.done).toBe(5);
});
