/** Builds the drafts of events that `decide` requests. */
import type { JsonObject, StepRow } from "@runledger/contracts";
import type { RunState } from "../fold/run-state.js";
import { formatDuration } from "../duration.js";
import type { Command, EventDraft } from "./commands.js";

export function append(event: EventDraft): Command {
  return { type: "append", event };
}

export function runLevel(eventType: string, state: RunState, causedBySignalId?: string): EventDraft {
  const attempt = (state.ordinals[eventType] ?? 0) + 1; // K2
  return causedBySignalId === undefined ? { eventType, attempt } : { eventType, attempt, causedBySignalId };
}

/** Adds the number of accepted signals that no wait has taken to the event that finishes the run (G1). */
export function runEnd(event: EventDraft, { details }: RunState): EventDraft {
  if (details.signals === undefined) return event;
  return { ...event, data: { ...(event.data as JsonObject), untakenSignals: details.signals.length } };
}

/** The event that ends the running attempt. */
export function ended(row: StepRow, eventType: string, data: JsonObject): EventDraft {
  return { eventType, stepId: row.stepId, attempt: Number(row.logicalAttemptId), data };
}

export function failure(code: string, message: string): JsonObject {
  return { error: { code, message, retryable: false } };
}

/** The message of a step that failed with TIMEOUT. */
export function timeoutMessage(timeoutMs: number): string {
  return `Step timed out after ${formatDuration(timeoutMs)}. Raise "timeout" or make the step shorter.`;
}

export function later(instant: string, ms: number): string {
  return new Date(Date.parse(instant) + ms).toISOString();
}
