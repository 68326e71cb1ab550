/** Signals and actions on their way (G1): kept until an event says that it was caused by them. */
import type { CanonicalEngineEvent, PendingSignal } from "@runledger/contracts";
import { dataOf, text } from "./read-data.js";
import type { RunState } from "./run-state.js";

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

/** An event that names its cause has dealt with it. */
export function settleSignal(state: RunState, event: CanonicalEngineEvent): RunState {
  const { causedBySignalId: id } = event;
  const { signals, actions, ...rest } = state.details;
  if (id === undefined || (signals === undefined && actions === undefined)) return state;
  const [openSignals, openActions] = [without(signals, id), without(actions, id)];
  const details = {
    ...rest,
    ...(openSignals.length === 0 ? {} : { signals: openSignals }),
    ...(openActions.length === 0 ? {} : { actions: openActions }),
  };
  return { ...state, details };
}

function without<T extends PendingSignal>(pending: readonly T[] | undefined, signalId: string): readonly T[] {
  return pending?.filter((each) => each.signalId !== signalId) ?? [];
}
