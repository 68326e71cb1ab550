/** Events that `decide` asks for, in their draft form. */
import type { JsonObject, StepRow } from "@runledger/contracts";
import type { RunState } from "../fold/run-state.js";
import type { Command, EventDraft } from "./commands.js";

export function append(event: EventDraft): Command {
  return { type: "append", event };
}

export function runLevel(eventType: string, state: RunState, causedBySignalId?: string): EventDraft {
  const attempt = (state.ordinals[eventType] ?? 0) + 1; // K2
  return causedBySignalId === undefined ? { eventType, attempt } : { eventType, attempt, causedBySignalId };
}

/** How the attempt that is under way ends. */
export function ended(row: StepRow, eventType: string, data: JsonObject): EventDraft {
  return { eventType, stepId: row.stepId, attempt: Number(row.logicalAttemptId), data };
}

export function failure(code: string, message: string): JsonObject {
  return { error: { code, message, retryable: false } };
}

export function later(instant: string, ms: number): string {
  return new Date(Date.parse(instant) + ms).toISOString();
}
