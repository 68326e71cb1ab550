/** Signals and actions on their way (G1): kept until an event has dealt with them. */
import type { CanonicalEngineEvent, PendingAction, PendingSignal } from "@runledger/contracts";
import { dataOf, text } from "./read-data.js";
import type { RunState } from "./run-state.js";

/** What the limit on signals is counted by (P9); refused ones count. */
const COUNTED = 60;

export function noteSignal(state: RunState, { emittedAt }: CanonicalEngineEvent): RunState {
  const recentSignals = [...(state.details.recentSignals ?? []).slice(1 - COUNTED), emittedAt];
  return { ...state, details: { ...state.details, recentSignals } };
}

export function acceptSignal(state: RunState, event: CanonicalEngineEvent): RunState {
  const { namespace, name, stepId } = dataOf(event);
  const { logicalAttemptId: signalId } = event;
  if (typeof name !== "string" || signalId === undefined) return state; // a foreign log's; nothing waits for it
  const { signals = [], actions = [] } = state.details;
  const details =
    namespace === "action"
      ? { ...state.details, actions: [...actions, { signalId, name, ...text("stepId", stepId) }] }
      : { ...state.details, signals: [...signals, { signalId, name }] };
  return { ...state, details };
}

/** An event that names its cause has dealt with it; some deal with more. */
export function settleSignal(state: RunState, event: CanonicalEngineEvent): RunState {
  const { signals, actions, ...rest } = state.details;
  if (signals === undefined && actions === undefined) return state;
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

/** What nobody can answer any more must not wait in the run: it would come true when the run is reopened. */
function isMoot({ name, stepId }: PendingAction, event: CanonicalEngineEvent): boolean {
  if (ENDS_RUN.has(event.eventType)) return true;
  if (name === "APPROVE") return event.eventType === "RunApproved" || event.eventType === "RunStarted";
  return name === "TIMEOUT" && event.stepId === stepId && ENDS_STEP.has(event.eventType);
}
