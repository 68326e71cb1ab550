import type { StepRow } from "@runledger/contracts";
import type { EventDraft, RunState } from "@runledger/core";

/** Returns `true` if the log needs this event no more: it has the event, or the end of the attempt, or a later attempt. */
export function isSettled(state: RunState, { eventType, stepId, attempt }: EventDraft): boolean {
  const row = stepId === undefined ? undefined : state.steps.get(stepId);
  if (row === undefined) return false;
  const known = Number(row.logicalAttemptId);
  if (known !== Number(attempt)) return known > Number(attempt);
  return hasEnded(row) || (eventType === "StepStarted" && row.status === "RUNNING");
}

function hasEnded({ status }: StepRow): boolean {
  return status !== "PENDING" && status !== "RUNNING";
}
