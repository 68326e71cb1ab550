/**
 * Folds events into run state. This is the only place that interprets events.
 *  F1  Events apply in strictly increasing runSeq; a repeated seq changes nothing.
 *  F2  A terminal attempt never leaves its status; a late StepStarted changes only its start time.
 *  F3  Events after a terminal run status are recorded and change nothing, except RunReopened. Signals are still
 *      counted: a sender must not be able to fill the log of a finished run (P9).
 *  F4  An event touches the header and the steps it names, nothing else.
 *  F5  Unknown event types advance the watermark.
 */
import {
  erasedPart,
  isSignal,
  omitUndefined,
  readEventData,
  type CanonicalEngineEvent,
  type EventType,
} from "@runledger/contracts";
import { evolveRun } from "./evolve-run.js";
import { evolveStep, resetSteps, takeOverSteps } from "./evolve-step.js";
import { acceptSignal, noteSignal, settleSignal } from "./evolve-signals.js";
import { isTerminal, type RunState } from "./run-state.js";

export function evolve(state: RunState, event: CanonicalEngineEvent): RunState {
  if (event.runSeq <= state.lastEventSeq) return state; // F1
  const seen = settleSignal(advance(state, event), event);
  if (isTerminal(state.status) && event.eventType !== "RunReopened") return counted(seen, event); // F3
  return apply(event.engineRunRef === undefined ? seen : executedBy(seen, event), event);
}

/** The last reference names the platform that executes the run now (N5). */
function executedBy(state: RunState, { engineRunRef }: CanonicalEngineEvent): RunState {
  return { ...state, details: { ...state.details, ...omitUndefined({ engineRunRef }) } };
}

export function evolveAll(state: RunState, events: Iterable<CanonicalEngineEvent>): RunState {
  const steps = state.steps.draft();
  let current: RunState = { ...state, steps };
  for (const event of events) current = evolve(current, event);
  steps.seal();
  return current;
}

function apply(state: RunState, event: CanonicalEngineEvent): RunState {
  const type = event.eventType as EventType;
  switch (type) {
    case "StepStarted":
    case "StepCompleted":
    case "StepFailed":
    case "StepSkipped":
      return evolveStep(state, event, type);
    case "StepsReset":
      return resetSteps(state, readEventData(type, event.eventData).steps);
    case "RunReopened":
      return resetSteps(evolveRun(state, event, type), readEventData(type, event.eventData).steps);
    case "RunTakenOver":
      return takeOverSteps(evolveRun(state, event, type), readEventData(type, event.eventData).stepsInFlight);
    case "RunQueued":
    case "RunApproved":
    case "RunStarted":
    case "RunPaused":
    case "RunResumed":
    case "RunCompleted":
    case "RunFailed":
    case "RunCancelled":
      return evolveRun(state, event, type);
    case "SignalAccepted":
      return acceptSignal(noteSignal(state, event), event);
    case "SignalRejected":
      return noteSignal(state, event); // recorded, but without effect on the run's status
    default:
      return state; // F5
  }
}

function counted(state: RunState, event: CanonicalEngineEvent): RunState {
  return isSignal(event.eventType) ? noteSignal(state, event) : state;
}

/** Advances the watermark, records creation time and plan, and counts run-level events by type (K2). */
function advance(state: RunState, event: CanonicalEngineEvent): RunState {
  const { runId, status, failedSteps, stepCount, userState, steps } = state;
  const known = state.details.planVersion === undefined ? withOrigin(state, event) : state.details;
  const erased = erasedPart(event.eventData);
  const details = erased === null ? known : { ...known, erased };
  const ordinals = event.stepId === undefined ? numbered(state.ordinals, event.eventType) : state.ordinals;
  return { runId, lastEventSeq: event.runSeq, status, failedSteps, stepCount, userState, ordinals, details, steps };
}

function withOrigin({ details }: RunState, event: CanonicalEngineEvent): RunState["details"] {
  const { planId, planVersion, emittedAt } = event;
  const dated = details.createdAt === undefined ? { ...details, createdAt: emittedAt } : details;
  if (planVersion === undefined) return dated;
  return { ...dated, planVersion, ...omitUndefined({ planId }) };
}

function numbered(ordinals: RunState["ordinals"], eventType: string): RunState["ordinals"] {
  if (isSignal(eventType)) return ordinals; // signals are identified by their id, not by a number
  return { ...ordinals, [eventType]: (ordinals[eventType] ?? 0) + 1 };
}
