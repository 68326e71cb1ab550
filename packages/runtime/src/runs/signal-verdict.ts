/** The verdict on a signal or action, and its append. */
import {
  LOG_FORMAT,
  newEvent,
  omitUndefined,
  RetryError,
  type AppendOptions,
  type FullStateStore,
  type JsonObject,
  type JudgedAt,
  type NewEvent,
  type QueuePlace,
  type SignalRequest,
} from "@runledger/contracts";
import {
  hasRoomFor,
  judgeAction,
  judgeSignal,
  MAX_UNTAKEN,
  nextSignalAt,
  type Action,
  type EventDraft,
  type RunState,
  type ActionVerdict,
} from "@runledger/core";

export interface Sent extends Omit<SignalRequest, "tenantId"> {
  readonly signalId: string;
}

/** Judges on a state. `denial` is the reason why the sender may not send it, `null` if it may. */
export function judge(state: RunState, sent: Sent, denial: string | null): ActionVerdict {
  const { namespace, name, stepId, signalId } = sent;
  if (denial !== null) return { accepted: false, reason: denial };
  if (namespace === "action")
    return judgeAction(state, { name: name as Action, signalId, ...omitUndefined({ stepId }) });
  const verdict = judgeSignal(state);
  if (verdict.accepted && !hasRoomFor(state, name)) throw tooManyUntaken(state.runId);
  return verdict;
}

/** Writes nothing above a limit, so that a flood cannot fill the log (P9). */
function tooManyUntaken(runId: string): RetryError {
  const message = `Run ${runId} has ${MAX_UNTAKEN} signals that no step has taken yet. Nothing was written. Send it again later.`;
  return new RetryError("SIGNAL_LIMIT", message);
}

/** Appends the verdict if it still holds. Otherwise throws SEQ_MISMATCH, or SIGNAL_LIMIT. */
export async function recordVerdict(
  store: FullStateStore,
  state: RunState,
  sent: Sent,
  verdict: ActionVerdict,
): Promise<void> {
  const { runId: _, signalId, ...data } = sent;
  const reason = verdict.accepted ? {} : { reason: verdict.reason };
  const eventType = verdict.accepted ? "SignalAccepted" : "SignalRejected";
  const answer = { eventType, attempt: signalId, data: { ...data, ...reason } as JsonObject };
  const drafts = verdict.accepted ? [answer, ...verdict.drafts] : [answer];
  const events = drafts.map((draft) => toEvent(state, draft));
  await store.appendEvents(events, { judgedAt: judgedAt(state, sent, verdict), ...effects(state, sent, verdict) });
}

function judgedAt(state: RunState, { namespace, name, stepId }: Sent, verdict: ActionVerdict): JudgedAt {
  const isUnlimited = verdict.accepted && name === "CANCEL"; // a run accepts it once, so it cannot fill the log
  const notBefore = namespace === "action" && isUnlimited ? undefined : nextSignalAt(state, namespace);
  return { seq: state.lastEventSeq, ...omitUndefined({ stepId, notBefore }) };
}

/** An accepted signal wakes its run, an action makes it claimable outside of limits (O2, Q2). */
function effects(state: RunState, { runId, namespace }: Sent, verdict: ActionVerdict): AppendOptions {
  if (!verdict.accepted) return {};
  const wakes = namespace === "action" ? { acts: true } : { wakes: [runId] };
  return verdict.drafts.length === 0 ? wakes : { ...wakes, enqueues: placeOf(state) };
}

/** Requeues a run that was queued before. */
function placeOf({ details }: RunState): QueuePlace {
  const { planId = "", planVersion = "", logFormat = LOG_FORMAT, priority = 0, projectId, concurrencyKey } = details;
  const optional = omitUndefined({ projectId, concurrencyKey });
  return { planId, planVersion, logFormat: Math.max(logFormat, LOG_FORMAT), priority, ...optional }; // F5
}

function toEvent(
  { runId, details }: RunState,
  { eventType, attempt, data = {}, causedBySignalId }: EventDraft,
): NewEvent {
  return newEvent({
    runId,
    planVersion: details.planVersion ?? "",
    ...omitUndefined({ planId: details.planId }),
    eventType,
    logicalAttemptId: String(attempt),
    eventData: data,
    ...omitUndefined({ causedBySignalId }),
  });
}
