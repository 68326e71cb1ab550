/**
 * Carries out one command: runs a step, calls a closure, or checks a child. The code that does it is the embedded
 * engine's. The result is in the log when this returns, whichever attempt of the activity wrote it (T1).
 */
import type { CanonicalEngineEvent } from "@runledger/contracts";
import type { EventDraft, RunState } from "@runledger/core";
import type { EngineDeps } from "@runledger/runtime/engine/engine-deps";
import { RunWork } from "@runledger/runtime/engine/run-work";
import { Context } from "@temporalio/activity";
import { ApplicationFailure } from "@temporalio/common";
import type { Work, WorkParams } from "../messages.js";
import { ActivityFence } from "./activity-fence.js";
import { isRecorded, record, type RecordParts } from "./record-result.js";

export interface WorkParts extends Omit<RecordParts, "timers" | "isOver"> {
  readonly deps: EngineDeps;
  /** Aborted when the worker must hand over its activities. */
  readonly handOver: AbortSignal;
}

/** Returns the events that this call has stored. `null` if there are others to read, or there is no result yet. */
export async function performWork(
  parts: WorkParts,
  state: RunState,
  params: WorkParams,
): Promise<readonly CanonicalEngineEvent[] | null> {
  const { command } = params;
  if (isRecorded(state, command)) return null;
  const fence = new ActivityFence(parts.context, command, state);
  const isFirst = Context.current().info.attempt === 1;
  if (isFirst) await fence.assertFirst(state, params.afterSeq + params.before.length);
  const current = isFirst ? state : await takeOver(parts, fence, command);
  if (current === null) return null;
  const losses = isFirst ? 0 : await fence.countLosses(current);
  const drafts = await carryOut(parts, current, params, losses);
  const recorded = drafts.length === 0 ? null : await record(recordParts(parts), fence, command, () => drafts);
  return isFirst ? (recorded?.events ?? null) : null;
}

/** The worker of the last attempt was lost, or is suspended. Returns `null` if it has recorded a result (T1). */
async function takeOver(parts: WorkParts, fence: ActivityFence, command: Work): Promise<RunState | null> {
  const draft = (state: RunState): EventDraft => fence.takeOver(state, parts.deps.workerId);
  const recorded = await record(recordParts(parts), fence, command, (head) => [draft(head)]);
  if (recorded !== null) fence.acceptUntil(recorded.state);
  return recorded?.state ?? null;
}

function recordParts(parts: WorkParts): RecordParts {
  const activity = Context.current();
  const isLost = (): boolean => activity.cancellationSignal.aborted && !isCancelRequested(activity);
  return { ...parts, timers: parts.deps.timers, isOver: () => parts.handOver.aborted || isLost() };
}

function isCancelRequested({ cancellationDetails }: Context): boolean {
  return cancellationDetails?.cancelRequested === true;
}

function carryOut(
  { context, deps, handOver }: WorkParts,
  state: RunState,
  { command, cancelChild }: WorkParams,
  losses: number,
): Promise<readonly EventDraft[]> {
  const activity = Context.current();
  return new Promise((resolve, reject) => {
    const finish = (): void => {
      activity.cancellationSignal.removeEventListener("abort", stop);
      handOver.removeEventListener("abort", stop);
    };
    const work = new RunWork(context, deps, () => {
      if (work.inFlight > 0) return;
      finish();
      resolve(Promise.resolve().then(() => resultOf(work, command)));
    });
    const stop = (): void => {
      if (isCancelRequested(activity) && !handOver.aborted && command.type === "run")
        return work.start({ type: "abort", stepId: command.stepId, attempt: command.attempt }, state);
      finish();
      work.abandon();
      reject(ApplicationFailure.retryable("The worker hands this activity over to another one.", "HANDED_OVER"));
    };
    activity.cancellationSignal.addEventListener("abort", stop, { once: true });
    handOver.addEventListener("abort", stop, { once: true });
    if (handOver.aborted) return stop();
    if (command.type === "awaitChild" && cancelChild) work.start({ ...command, type: "cancelChild" }, state);
    work.start(command, state, losses);
    if (activity.cancellationSignal.aborted) stop(); // it was aborted before it had a listener
  });
}

/** Work that ended without a result met an unavailable store. Only a child may be unfinished. */
function resultOf(work: RunWork, { type, stepId }: Work): readonly EventDraft[] {
  work.throwFault();
  const { happened } = work;
  if (happened.length > 0 || type === "awaitChild") return happened;
  throw ApplicationFailure.retryable(`Step ${stepId} could not reach the store.`, "STORE_UNAVAILABLE");
}
