/**
 * Signals and actions (G1). Each gets one answer, which is on record: accepted, or rejected with the reason. An action
 * is judged by the run as it stands, and recorded only if it still stands so.
 */
import {
  InputError,
  LOG_FORMAT,
  newEvent,
  RetryError,
  SeqMismatchError,
  StopError,
  type Authorization,
  type CanonicalEngineEvent,
  type FullStateStore,
  type Json,
  type JsonObject,
  type NewEvent,
  type QueuePlace,
  type SignalRequest,
} from "@runledger/contracts";
import {
  actions,
  isTerminal,
  judgeAction,
  type Action,
  type EventDraft,
  type RunState,
  type Verdict,
} from "@runledger/core";
import { keyOf } from "../engine/outputs.js";
import { loadState } from "./load-state.js";
import { randomId } from "./start-run.js";

/** P9. */
const MAX_PER_MINUTE = 60;
const MAX_WAITING = 500;

export interface SendOptions {
  /** Makes the send idempotent: one answer per id. Default: an id of its own. */
  readonly signalId?: string;
  readonly by?: string;
}

export interface Signalling {
  readonly store: FullStateStore;
  /** Absent = everybody may. */
  readonly authorization?: Authorization | undefined;
}

/** The answer was no, and is on record. */
export class SignalRejectedError extends StopError {
  constructor(
    readonly runId: string,
    readonly signalId: string,
    readonly reason: string,
  ) {
    super("SIGNAL_REJECTED", `Run ${runId} did not take it: ${reason}.`);
  }
}

/** A signal of the user's own: kept until a wait takes it. */
export function sendSignal(
  signalling: Signalling,
  runId: string,
  name: string,
  payload: Json,
  options: SendOptions = {},
): Promise<void> {
  return send(signalling, { runId, namespace: "signal", name, payload }, options);
}

/** An operator's action. */
export function sendAction(
  signalling: Signalling,
  runId: string,
  name: string,
  options: SendOptions & { readonly stepId?: string } = {},
): Promise<void> {
  if (!(actions as readonly string[]).includes(name)) {
    throw new InputError("ACTION_UNKNOWN", "action", `is ${name}; there are ${actions.join(", ")}.`);
  }
  const { stepId } = options;
  return send(signalling, { runId, namespace: "action", name, ...(stepId === undefined ? {} : { stepId }) }, options);
}

type Wish = Omit<SignalRequest, "tenantId" | "by">;

async function send(signalling: Signalling, wish: Wish, options: SendOptions): Promise<void> {
  const { signalId = randomId("sig"), by } = options;
  for (;;) {
    const state = await loadState(signalling.store, wish.runId);
    const known = await answered(signalling.store, state, signalId);
    if (known !== null) return answer(known, wish.runId, signalId);
    checkLimits(state);
    const verdict = await judge(signalling, state, { ...wish, ...(by === undefined ? {} : { by }) }, signalId);
    try {
      return await record({ ...signalling, state, wish, verdict, signalId, by });
    } catch (error) {
      if (!(error instanceof SeqMismatchError)) throw error; // the run went on meanwhile: judged anew
    }
  }
}

/** One answer per signal id: whoever asks again gets the same. */
async function answered(
  store: FullStateStore,
  state: RunState,
  signalId: string,
): Promise<CanonicalEngineEvent | null> {
  const source = { store, runId: state.runId, planVersion: state.details.planVersion ?? "" };
  const keys = ["SignalAccepted", "SignalRejected"].map((eventType) => keyOf(source, eventType, signalId));
  return (await store.fetchByKeys(state.runId, keys))[0] ?? null;
}

function answer(event: CanonicalEngineEvent, runId: string, signalId: string): void {
  if (event.eventType === "SignalAccepted") return;
  const { reason } = event.eventData as { readonly reason: string };
  throw new SignalRejectedError(runId, signalId, reason);
}

/** Over a limit nothing is written: what floods a run must not fill its log (P9). */
function checkLimits({ runId, details }: RunState): void {
  const [oldest] = details.recentSignals ?? [];
  const full = (details.recentSignals?.length ?? 0) >= MAX_PER_MINUTE;
  if (full && Date.now() - Date.parse(oldest!) < 60_000) {
    throw new RetryError(
      "SIGNAL_LIMIT",
      `Run ${runId} had ${MAX_PER_MINUTE} signals within a minute; wait, then send it again.`,
    );
  }
  if ((details.signals?.length ?? 0) >= MAX_WAITING) {
    throw new RetryError(
      "SIGNAL_LIMIT",
      `Run ${runId} has ${MAX_WAITING} signals that nothing has taken yet; send it again later.`,
    );
  }
}

async function judge(
  signalling: Signalling,
  state: RunState,
  wish: Omit<SignalRequest, "tenantId">,
  signalId: string,
): Promise<Verdict> {
  const request = { ...wish, tenantId: state.details.tenantId ?? "default" };
  const allowed = (await signalling.authorization?.authorize(request)) ?? { allowed: true };
  if (!allowed.allowed) return { accepted: false, reason: `not allowed: ${allowed.reason}` };
  if (wish.namespace === "signal") {
    return isTerminal(state.status)
      ? { accepted: false, reason: `the run is ${state.status}` }
      : { accepted: true, drafts: [] };
  }
  const { stepId } = wish;
  return judgeAction(state, { name: wish.name as Action, signalId, ...(stepId === undefined ? {} : { stepId }) });
}

interface Record {
  readonly store: FullStateStore;
  readonly state: RunState;
  readonly wish: Wish;
  readonly verdict: Verdict;
  readonly signalId: string;
  readonly by: string | undefined;
}

async function record({ store, state, wish, verdict, signalId, by }: Record): Promise<void> {
  const { runId, ...data } = wish;
  const reason = verdict.accepted ? {} : { reason: verdict.reason };
  const eventData = { ...data, ...(by === undefined ? {} : { by }), ...reason } as JsonObject;
  const eventType = verdict.accepted ? "SignalAccepted" : "SignalRejected";
  const drafts: readonly EventDraft[] = verdict.accepted ? verdict.drafts : [];
  const events = [{ eventType, attempt: signalId, data: eventData }, ...drafts].map((draft) => toEvent(state, draft));
  await store.appendEvents(events, {
    mustExist: true,
    ...(wish.namespace === "action" && verdict.accepted ? { expectedSeq: state.lastEventSeq } : {}),
    ...(verdict.accepted ? (wish.namespace === "action" ? { acts: true } : { wakes: [runId] }) : {}),
    ...(drafts.length > 0 ? { enqueues: placeOf(state) } : {}),
  });
  if (!verdict.accepted) throw new SignalRejectedError(runId, signalId, verdict.reason);
}

/** Where a run was queued, it is queued again. */
function placeOf({ details }: RunState): QueuePlace {
  const { planId = "", planVersion = "", logFormat = LOG_FORMAT, priority = 0, projectId, concurrencyKey } = details;
  const optional = {
    ...(projectId === undefined ? {} : { projectId }),
    ...(concurrencyKey === undefined ? {} : { concurrencyKey }),
  };
  return { planId, planVersion, logFormat: Math.max(logFormat, LOG_FORMAT), priority, ...optional }; // F5
}

function toEvent(
  { runId, details }: RunState,
  { eventType, attempt, data = {}, causedBySignalId }: EventDraft,
): NewEvent {
  return newEvent({
    runId,
    planVersion: details.planVersion ?? "",
    ...(details.planId === undefined ? {} : { planId: details.planId }),
    eventType,
    logicalAttemptId: String(attempt),
    eventData: data,
    ...(causedBySignalId === undefined ? {} : { causedBySignalId }),
  });
}
