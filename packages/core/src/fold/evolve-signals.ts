/** Pending signals and actions (G1): kept until an event answers them. */
import {
  omitUndefined,
  readEventData,
  type CanonicalEngineEvent,
  type PendingAction,
  type PendingSignal,
} from "@runledger/contracts";
import type { RunState } from "./run-state.js";

/** A run receives at most this many signals per minute, and as many actions of operators (P9). Rejected ones count, too. */
export const MAX_PER_MINUTE = 60;

/** The engine records these actions itself. They are not limited. */
const SYSTEM_ACTIONS: ReadonlySet<string | undefined> = new Set(["DEADLINE", "TIMEOUT"]);

/** Remembers when the latest signals and actions were stored, by the store's clock. */
export function noteSignal(state: RunState, event: CanonicalEngineEvent): RunState {
  const { namespace, name } = readEventData("SignalAccepted", event.eventData);
  if (namespace === "action" && SYSTEM_ACTIONS.has(name)) return state;
  const recent = namespace === "action" ? "recentActions" : "recentSignals";
  const times = [...(state.details[recent] ?? []).slice(1 - MAX_PER_MINUTE), event.persistedAt ?? event.emittedAt];
  return { ...state, details: { ...state.details, [recent]: times } };
}

export function acceptSignal(state: RunState, event: CanonicalEngineEvent): RunState {
  const { namespace, name, stepId } = readEventData("SignalAccepted", event.eventData);
  const { logicalAttemptId: signalId } = event;
  if (name === undefined || signalId === undefined) return state; // a foreign log; nothing waits for it
  const { signals = [], actions = [] } = state.details;
  const details =
    namespace === "action"
      ? { ...state.details, actions: [...actions, { signalId, name, ...omitUndefined({ stepId }) }] }
      : { ...state.details, signals: [...signals, { signalId, name }] };
  return { ...state, details };
}

/** An event that names its cause answers it. Some events answer further actions. */
export function settleSignal(state: RunState, event: CanonicalEngineEvent): RunState {
  if (state.details.signals === undefined && state.details.actions === undefined) return state;
  const { signals, actions, ...rest } = state.details;
  const [openSignals, openActions] = [
    signals?.filter((signal) => !isCause(signal, event)) ?? [],
    actions?.filter((action) => !isCause(action, event) && !isMoot(action, event)) ?? [],
  ];
  const details = {
    ...rest,
    ...(openSignals.length === 0 ? {} : { signals: openSignals }),
    ...(openActions.length === 0 ? {} : { actions: openActions }),
  };
  return { ...state, details };
}

function isCause({ signalId }: PendingSignal, { causedBySignalId }: CanonicalEngineEvent): boolean {
  return signalId === causedBySignalId;
}

const ENDS_RUN = new Set(["RunCompleted", "RunFailed", "RunCancelled"]);
const ENDS_STEP = new Set(["StepCompleted", "StepFailed", "StepSkipped"]);

/** An action that can no longer be answered must not stay pending: it would take effect when the run is reopened. */
function isMoot({ name, stepId }: PendingAction, event: CanonicalEngineEvent): boolean {
  if (ENDS_RUN.has(event.eventType)) return true;
  if (name === "APPROVE") return event.eventType === "RunApproved" || event.eventType === "RunStarted";
  return name === "TIMEOUT" && event.stepId === stepId && ENDS_STEP.has(event.eventType);
}
