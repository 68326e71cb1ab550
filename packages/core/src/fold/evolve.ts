/**
 * Folding events into run state: the only place that knows what an event means (execution-semantics 1.5).
 *  F1  Events apply in strictly increasing runSeq; a repeated seq changes nothing.
 *  F2  A terminal attempt never leaves its status; a late StepStarted changes nothing but its start time.
 *  F3  Events after a terminal run status are recorded and change nothing, except RunReopened.
 *  F4  An event touches the header and the steps it names, nothing else.
 *  F5  Unknown event types advance the watermark.
 */
import { isSignal, type CanonicalEngineEvent, type EventType } from "@runledger/contracts";
import { evolveRun } from "./evolve-run.js";
import { evolveStep, resetSteps, takeOverSteps } from "./evolve-step.js";
import { acceptSignal, noteSignal, settleSignal } from "./evolve-signals.js";
import { isTerminal, type RunState } from "./run-state.js";

export function evolve(state: RunState, event: CanonicalEngineEvent): RunState {
  if (event.runSeq <= state.lastEventSeq) return state; // F1
  const seen = settleSignal(advance(state, event), event);
  if (isTerminal(state.status) && event.eventType !== "RunReopened") return seen; // F3
  return apply(seen, event);
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
      return resetSteps(state, event);
    case "RunReopened":
      return resetSteps(evolveRun(state, event, type), event);
    case "RunTakenOver":
      return takeOverSteps(evolveRun(state, event, type), event);
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
      return noteSignal(state, event); // a decision on record; it does not change the run's status
    default:
      return state; // F5
  }
}

/** The watermark, when the run began and by which plan, and the number that K2 gives the next event of this type. */
function advance(state: RunState, event: CanonicalEngineEvent): RunState {
  const { runId, status, failedSteps, stepCount, userState, steps } = state;
  const details = state.details.planVersion === undefined ? withOrigin(state, event) : state.details;
  const ordinals = event.stepId === undefined ? counted(state.ordinals, event.eventType) : state.ordinals;
  return { runId, lastEventSeq: event.runSeq, status, failedSteps, stepCount, userState, ordinals, details, steps };
}

function withOrigin({ details }: RunState, event: CanonicalEngineEvent): RunState["details"] {
  const { planId, planVersion, emittedAt } = event;
  const dated = details.createdAt === undefined ? { ...details, createdAt: emittedAt } : details;
  if (planVersion === undefined) return dated;
  return { ...dated, planVersion, ...(planId === undefined ? {} : { planId }) };
}

function counted(ordinals: RunState["ordinals"], eventType: string): RunState["ordinals"] {
  if (isSignal(eventType)) return ordinals; // numbered by the signal's id
  return { ...ordinals, [eventType]: (ordinals[eventType] ?? 0) + 1 };
}
