/** Appends the result of an activity, at exactly the head on which it was judged (T1, T3). */
import {
  RetryError,
  SeqMismatchError,
  type AppendResult,
  type CanonicalEngineEvent,
  type NewEvent,
} from "@runledger/contracts";
import { decide, type EventDraft, type RunState } from "@runledger/core";
import type { RunContext } from "@runledger/runtime/engine/run-context";
import type { SpeculativeRun } from "@runledger/runtime/engine/speculative-run";
import { retry } from "@runledger/runtime/time/retry";
import type { Timers } from "@runledger/runtime/time/timers";
import type { Work } from "../messages.js";
import { workedStep, type ActivityFence } from "./activity-fence.js";

export interface RecordParts {
  readonly context: RunContext;
  readonly timers: Timers;
  /** Reads the run at the head of its log. */
  readonly readRun: () => Promise<SpeculativeRun>;
  /** Runs an action while no other action of the same run appends in this process. */
  readonly inTurn: <T>(action: () => Promise<T>) => Promise<T>;
  /** `true` if this worker must stop: Temporal starts the activity again elsewhere. */
  readonly isOver: () => boolean;
}

export interface Recorded {
  /** The state after the append. */
  readonly state: RunState;
  /** The stored events. `null` if an earlier call stored them. */
  readonly events: readonly CanonicalEngineEvent[] | null;
}

/** Returns `true` if the log holds the result of this command, or no longer wants one. */
export function isRecorded({ steps }: RunState, command: Work): boolean {
  const row = steps.get(workedStep(command));
  if (row === undefined || Number(row.logicalAttemptId) < command.attempt) return false;
  if (Number(row.logicalAttemptId) > command.attempt) return true;
  return row.status !== "PENDING" && (row.status !== "RUNNING" || command.type === "open");
}

/**
 * Appends drafts unless the log already holds a result. Keeps them while the store is unavailable: a step that has run must
 * not run again because of that. Returns `null` if nothing was appended.
 */
export async function record(
  parts: RecordParts,
  fence: ActivityFence,
  command: Work,
  draftsFor: (state: RunState) => readonly EventDraft[],
): Promise<Recorded | null> {
  const shouldRetry = (error: unknown): boolean => error instanceof RetryError && !parts.isOver();
  const appendOnce = (): Promise<Recorded | null> => parts.inTurn(() => appendAtHead(parts, fence, command, draftsFor));
  return retry(appendOnce, { timers: parts.timers, delayMs: 100, maxDelayMs: 1600, shouldRetry });
}

async function appendAtHead(
  { context, readRun }: RecordParts,
  fence: ActivityFence,
  command: Work,
  draftsFor: (state: RunState) => readonly EventDraft[],
): Promise<Recorded | null> {
  for (;;) {
    const run = await readRun();
    const { state } = run;
    await fence.assertLatest(state);
    if (isRecorded(state, command) || !isWanted(context, state, command)) return null;
    const options = { fence: context.epoch, expectedSeq: state.lastEventSeq };
    const drafts = draftsFor(state);
    try {
      const events = run.eventsOf(drafts);
      const results = await context.store.appendEvents(events, options);
      const { runSeq: lastEventSeq } = results.at(-1)!; // above a dead gap, it is not the next number (P10)
      return { state: { ...run.stateAfter(drafts), lastEventSeq }, events: storedEvents(events, results) };
    } catch (error) {
      if (!(error instanceof SeqMismatchError)) throw error;
    }
  }
}

/**
 * A container starts only if the run still wants it at the moment of the append: the run may have been paused or stopped
 * while the closure ran (D1).
 */
function isWanted({ workflow }: RunContext, state: RunState, { type, stepId, attempt }: Work): boolean {
  if (type !== "open") return true;
  const commands = decide(workflow.plan, state);
  return commands.some((each) => each.type === "open" && each.stepId === stepId && each.attempt === attempt);
}

function storedEvents(
  events: readonly NewEvent[],
  results: readonly AppendResult[],
): readonly CanonicalEngineEvent[] | null {
  if (results.some(({ persisted }) => !persisted)) return null; // the stored ones may differ
  return events.map((event, at) => ({ ...event, runSeq: results[at]!.runSeq }));
}
