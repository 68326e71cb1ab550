/** Which change of a run or an attempt an event states, in the terms of OpenLineage. */
import { readEvent, type CanonicalEngineEvent, type DatasetUses, type RunError } from "@runledger/contracts";
import { isPass } from "./lineage-ids.js";
import type { RunEventType } from "./run-event.js";

export interface Transition {
  readonly type: RunEventType;
  readonly error?: RunError;
  readonly datasets?: DatasetUses | undefined;
  /** `true` if the run or the attempt may never have been started. Then nothing is sent. */
  readonly mayLackStart?: boolean;
}

/** Returns `null` if OpenLineage has no counterpart. */
export function transitionOf(event: CanonicalEngineEvent): Transition | null {
  const read = readEvent(event);
  if (event.stepId !== undefined && isPass(event.stepId)) return null;
  switch (read.eventType) {
    case "RunStarted":
      return { type: event.logicalAttemptId === "1" ? "START" : "RUNNING" };
    case "RunResumed":
    case "RunReopened":
    case "RunTakenOver":
      return { type: "RUNNING", mayLackStart: true };
    case "RunCompleted":
      return { type: "COMPLETE" };
    case "RunFailed":
      return { type: "FAIL", error: read.eventData.error, mayLackStart: true };
    case "RunCancelled":
      return { type: "ABORT", mayLackStart: true };
    case "StepStarted":
      return { type: "START" };
    case "StepCompleted":
      return read.eventData.kept === undefined
        ? { type: "COMPLETE", datasets: read.eventData.datasets }
        : { type: "COMPLETE", mayLackStart: true }; // a fork keeps the result and writes nothing
    case "StepFailed":
      return { type: read.eventData.error.code === "CANCELLED" ? "ABORT" : "FAIL", error: read.eventData.error };
    case "StepSkipped":
      return { type: "ABORT", mayLackStart: true };
    default:
      return null;
  }
}
