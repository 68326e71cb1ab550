/**
 * Signals and actions (G1). Each gets one recorded verdict: accepted, or rejected with the reason. A sender judges on the
 * state that it has read. The store records the verdict only if it still holds, and counts the limits by its own clock
 * (P9); if it refuses, the sender reads on and judges again. At most 120 signals and actions per minute change what a
 * verdict depends on, so this ends.
 */
import {
  InputError,
  newId,
  omitUndefined,
  readEventData,
  SeqMismatchError,
  StopError,
  type Authorization,
  type CanonicalEngineEvent,
  type FullStateStore,
  type Json,
} from "@runledger/contracts";
import { actions, type RunState } from "@runledger/core";
import { inTurn } from "./in-turn.js";
import { loadToDecide } from "./load-state.js";
import { keyOf } from "./outputs.js";
import { checkSignalName, checkStep } from "./signal-targets.js";
import { refusalText } from "./refusal-text.js";
import { judge, recordVerdict, type Sent } from "./signal-verdict.js";
import { dropUndefined } from "../workflow/drop-undefined.js";

export interface SendOptions {
  /** Makes the send idempotent: one verdict per id. Default: a new id. */
  readonly signalId?: string;
  /** The sender, for the record. */
  readonly by?: string;
  /** `true` if `by` may approve a run that `by` has started. Default: `true`, because callers of a ledger can be anyone. */
  readonly allowSelfApproval?: boolean;
}

export interface Signalling {
  readonly store: FullStateStore;
  /** If absent, every caller may. */
  readonly authorization?: Authorization | undefined;
  readonly allowSelfApproval?: boolean | undefined;
}

/** The signal was rejected, and the rejection is recorded. */
export class SignalRejectedError extends StopError {
  constructor(
    readonly runId: string,
    readonly signalId: string,
    readonly reason: string,
    /** The action, or `Signal NAME`. */
    what = "Signal",
  ) {
    super("SIGNAL_REJECTED", refusalText(runId, what, reason));
  }
}

/** Sends a user signal. The ledger keeps it until a wait takes it. */
export function sendSignal(
  signalling: Signalling,
  runId: string,
  name: string,
  payload: Json,
  options: SendOptions = {},
): Promise<void> {
  const sent = { runId, namespace: "signal", name, payload: dropUndefined(payload), ...sender(options) } as const;
  return send(signalling, sent);
}

/** Sends an operator's action. */
export function sendAction(
  signalling: Signalling,
  runId: string,
  name: string,
  options: SendOptions & { readonly stepId?: string } = {},
): Promise<void> {
  if (!(actions as readonly string[]).includes(name)) {
    throw new InputError("ACTION_UNKNOWN", "action", `is ${name}; there are ${actions.join(", ")}.`);
  }
  const { stepId, allowSelfApproval } = options;
  const sent = { runId, namespace: "action", name, ...omitUndefined({ stepId }), ...sender(options) } as const;
  return send({ ...signalling, allowSelfApproval }, sent);
}

function sender({ signalId = newId("sig"), by }: SendOptions): { readonly signalId: string; readonly by?: string } {
  return { signalId, ...omitUndefined({ by }) };
}

async function send({ store, authorization, allowSelfApproval = true }: Signalling, sent: Sent): Promise<void> {
  const state = await loadToDecide(store, sent.runId);
  const known = await answerTo(store, state, sent);
  if (known !== null) return report(known, sent);
  await checkTarget(store, state, sent);
  const isSelf = !allowSelfApproval && isSelfApproval(state, sent);
  const denial = isSelf ? SELF_APPROVAL : await denialOf(authorization, state, requestOf(sent));
  await inTurn(store, sent.runId, (hasWaited) => record(store, sent, denial, hasWaited ? null : state));
}

/**
 * Records that a caller was denied before its request was read, for example because of its role (G2). A repeated signal id
 * records nothing more. Throws if nothing can be recorded, as for a signal that the workflow does not declare.
 */
export async function recordDenial(store: FullStateStore, sent: Sent, reason: string): Promise<void> {
  const state = await loadToDecide(store, sent.runId);
  await checkTarget(store, state, sent);
  try {
    await inTurn(store, sent.runId, () => record(store, sent, `${NOT_ALLOWED} ${reason}`, null));
  } catch (error) {
    if (!(error instanceof SignalRejectedError)) throw error; // this is the recorded denial
  }
}

/** `state` is `null` if it must be read first. */
async function record(store: FullStateStore, sent: Sent, denial: string | null, state: RunState | null): Promise<void> {
  for (let current = state; ; current = null) {
    const read = current ?? (await loadToDecide(store, sent.runId));
    const known = current === null ? await answerTo(store, read, sent) : null;
    if (known !== null) return report(known, sent);
    const verdict = judge(read, sent, denial);
    try {
      await recordVerdict(store, read, sent, verdict);
      if (verdict.accepted) return;
      throw refusal(sent, verdict.reason);
    } catch (error) {
      if (!(error instanceof SeqMismatchError)) throw error; // the run changed meanwhile: judge again
    }
  }
}

/** One verdict per signal id: a repeated send returns the recorded one. */
async function answerTo(
  store: FullStateStore,
  state: RunState,
  { runId, signalId }: Sent,
): Promise<CanonicalEngineEvent | null> {
  const source = { store, runId, planVersion: state.details.planVersion ?? "" };
  const keys = ["SignalAccepted", "SignalRejected"].map((eventType) => keyOf(source, eventType, signalId));
  return (await store.fetchByKeys(runId, keys))[0] ?? null;
}

function report(event: CanonicalEngineEvent, sent: Sent): void {
  if (event.eventType === "SignalAccepted") return;
  const { reason = "" } = readEventData("SignalRejected", event.eventData);
  throw refusal(sent, reason);
}

function refusal({ runId, signalId, namespace, name }: Sent, reason: string): SignalRejectedError {
  return new SignalRejectedError(runId, signalId, reason, namespace === "action" ? name : `Signal ${name}`);
}

async function checkTarget(store: FullStateStore, state: RunState, { namespace, name, stepId }: Sent): Promise<void> {
  if (namespace === "signal") await checkSignalName(store, state, name);
  else if (stepId !== undefined) await checkStep(store, state, stepId);
}

export const SELF_APPROVAL = "the caller that started a run may not approve it";

export function isSelfApproval({ details }: RunState, { name, by }: Pick<Sent, "name" | "by">): boolean {
  return name === "APPROVE" && by !== undefined && details.startedBy === by;
}

function requestOf({ signalId: _, ...request }: Sent): Omit<Sent, "signalId"> {
  return request;
}

const NOT_ALLOWED = "not allowed:";

/** Returns the reason why the sender may not send this, or `null`. */
export async function denialOf(
  authorization: Authorization | undefined,
  { details }: RunState,
  request: Omit<Sent, "signalId">,
): Promise<string | null> {
  if (authorization === undefined) return null;
  const answer = await authorization.authorize({ ...request, tenantId: details.tenantId ?? "default" });
  return answer.allowed ? null : `${NOT_ALLOWED} ${answer.reason}`;
}
