import { omitUndefined, readEventData, type CanonicalEngineEvent, type EventType } from "@runledger/contracts";
import type { RunDetails, RunState } from "./run-state.js";

type RunEventType = Extract<EventType, `Run${string}`>;

/** Applies a run-level event to the header. */
export function evolveRun(state: RunState, event: CanonicalEngineEvent, type: RunEventType): RunState {
  switch (type) {
    case "RunQueued":
      return queued(state, event);
    case "RunApproved":
      return { ...state, status: "APPROVED" };
    case "RunStarted":
      return started(state, event);
    case "RunPaused":
      return { ...state, status: "PAUSED" };
    case "RunResumed":
      return { ...state, status: "RUNNING" };
    case "RunCompleted":
      return completed(state, event);
    case "RunFailed":
      return failed(state, event);
    case "RunCancelled":
      return { ...state, status: "CANCELLED", details: ended(state, event) };
    case "RunReopened":
      return reopened(state, event);
    case "RunTakenOver":
      return takenOver(state, event);
  }
}

function queued(state: RunState, event: CanonicalEngineEvent): RunState {
  const data = readEventData("RunQueued", event.eventData);
  const { plan, input, state: userState, startAt, by: startedBy, ...copied } = data;
  const { planId, planVersion } = plan ?? {};
  const details = { ...state.details, ...copied, ...omitUndefined({ planId, planVersion, startedBy }) };
  return { ...state, status: "PENDING", userState, details };
}

function started(state: RunState, event: CanonicalEngineEvent): RunState {
  const details = {
    ...state.details,
    startedAt: state.details.startedAt ?? event.emittedAt,
    ...readEventData("RunStarted", event.eventData),
  };
  return { ...state, status: "RUNNING", details };
}

function completed(state: RunState, event: CanonicalEngineEvent): RunState {
  const { artifacts = [], output } = readEventData("RunCompleted", event.eventData);
  const details = { ...ended(state, event), artifacts, ...omitUndefined({ output }) };
  return { ...state, status: "COMPLETED", details };
}

function failed(state: RunState, event: CanonicalEngineEvent): RunState {
  const { untakenSignals: _, ...why } = readEventData("RunFailed", event.eventData);
  const details = { ...ended(state, event), ...why };
  return { ...state, status: "FAILED", details };
}

function ended({ details }: RunState, { emittedAt }: CanonicalEngineEvent): RunDetails {
  const { startedAt } = details;
  const end = { ...details, completedAt: emittedAt };
  return startedAt === undefined ? end : { ...end, totalDurationMs: duration(startedAt, emittedAt) };
}

/** Two machines may have emitted the events, so the difference can be negative. Never returns less than zero. */
function duration(from: string, to: string): number {
  return Math.max(0, Date.parse(to) - Date.parse(from));
}

/** The run is pending again, so the results of its end are removed. */
function reopened(state: RunState, event: CanonicalEngineEvent): RunState {
  const { completedAt, totalDurationMs, error, culprit, output, deadlineAt: _, ...kept } = state.details;
  const { deadlineAt, compensate } = readEventData("RunReopened", event.eventData);
  const more = compensate === true ? { ...omitUndefined({ error, culprit }), ...compensation(event) } : {};
  return {
    ...state,
    status: "PENDING",
    details: { ...kept, artifacts: [], ...omitUndefined({ deadlineAt }), ...more },
  };
}

/** The action stays open until the run fails again, with the error that it keeps (D8). */
function compensation({ causedBySignalId: signalId = "compensate" }: CanonicalEngineEvent): Partial<RunDetails> {
  return { actions: [{ signalId, name: "COMPENSATE" }] };
}

function takenOver(state: RunState, event: CanonicalEngineEvent): RunState {
  const { epoch } = readEventData("RunTakenOver", event.eventData);
  return epoch === undefined ? state : { ...state, details: { ...state.details, leaseEpoch: epoch } };
}
