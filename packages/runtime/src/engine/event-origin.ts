/** Fields of an event that depend on the log before it: attempt, executor and parent (N5, D5). */
import { omitUndefined, type Json, type NewEvent } from "@runledger/contracts";
import type { EventDraft, RunState } from "@runledger/core";
import type { AppendParents } from "./parent-events.js";
import type { Executor } from "./run-context.js";

export type EventOrigin = Pick<NewEvent, "engineAttemptId" | "engineRunRef" | "parentEventId">;

type RunRef = Executor["engineRunRef"];

export function originOf(
  executor: Executor | undefined,
  state: RunState,
  draft: EventDraft,
  parents: AppendParents,
): EventOrigin {
  return omitUndefined({
    engineAttemptId: engineAttemptId(state, draft, executor?.attempt ?? 1),
    engineRunRef: executor === undefined ? undefined : newRunRef(executor.engineRunRef, state, draft),
    parentEventId: parents.of(draft),
  });
}

/**
 * Counts how often the platform ran an attempt: once, and once more after each take-over (D5). A platform may have tried
 * more often before a worker could record it.
 */
function engineAttemptId(
  { steps }: RunState,
  { stepId, attempt }: EventDraft,
  platformAttempt: number,
): string | undefined {
  if (stepId === undefined) return undefined;
  const row = steps.get(stepId);
  const takeOvers = row?.logicalAttemptId === String(attempt) ? (row.takeOvers ?? 0) : 0;
  return String(Math.max(takeOvers + 1, platformAttempt));
}

/** `RunStarted` carries the reference, and all events of an owner until the log has it. */
function newRunRef(own: RunRef, { details }: RunState, { eventType }: EventDraft): RunRef | undefined {
  return eventType === "RunStarted" || !isSame(details.engineRunRef, own) ? own : undefined;
}

/** Returns the epoch of the owner that appended last. 0 if the log does not name it. */
export function lastEpoch({ details }: RunState): number {
  const { epoch } = (details.engineRunRef ?? {}) as { readonly epoch?: unknown };
  return Math.max(details.leaseEpoch ?? 0, typeof epoch === "number" ? epoch : 0);
}

/** A store may return the fields in another order. */
function isSame(recorded: Json | undefined, own: RunRef): boolean {
  if (typeof recorded !== "object" || recorded === null) return false;
  return Object.entries(own).every(([name, value]) => (recorded as Readonly<Record<string, Json>>)[name] === value);
}
