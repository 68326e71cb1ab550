/** Decides whether a run accepts an action in its current state, and which events are recorded with it (G1, D8, K4). */
import { isTerminal, type RunState } from "../fold/run-state.js";
import type { Action } from "./actions.js";
import type { EventDraft } from "./commands.js";
import { hasUndone } from "./compensate.js";
import { compactSteps } from "./compact-steps.js";
import { runLevel } from "./drafts.js";
import { stepsToRetry } from "./retry-scope.js";
import { stopReason } from "./stopping.js";
import type { Json } from "@runledger/contracts";

export type ActionVerdict =
  /** `drafts` are the events that the action causes immediately, besides its acceptance. */
  | { readonly accepted: true; readonly drafts: readonly EventDraft[] }
  | { readonly accepted: false; readonly reason: string };

const ACCEPTED: ActionVerdict = { accepted: true, drafts: [] };
const rejected = (reason: string): ActionVerdict => ({ accepted: false, reason });

export interface RequestedAction {
  readonly name: Action;
  readonly signalId: string;
  readonly stepId?: string;
}

export function judgeAction(state: RunState, action: RequestedAction): ActionVerdict {
  if (state.details.erased !== undefined) return rejected("the payloads of the run are erased");
  if (isTerminal(state.status)) return judgeEnded(state, action);
  const stopping = stopReason(state);
  if (stopping !== null) return rejected(`the run is being stopped (${stopping.name})`);
  if (action.name === "CANCEL") return ACCEPTED;
  if (hasUndone(state)) return rejected("the run is being compensated");
  switch (action.name) {
    case "COMPENSATE":
      return rejected(`the run is ${state.status}, not FAILED; a CANCEL compensates it`);
    case "APPROVE":
      return state.status === "PENDING" ? ACCEPTED : rejected("the run is not waiting for approval");
    case "PAUSE":
      return expected(state, "RUNNING");
    case "RESUME":
      return expected(state, "PAUSED");
    case "SKIP_STEP":
      return judgeSkip(state, action.stepId);
    case "RETRY_STEP":
    case "RETRY_RUN":
      return judgeRetry(state, action, () => []);
  }
}

/** Pending actions count: an operator who pauses a run may resume it before a worker has paused it. */
function expected(state: RunState, wanted: "RUNNING" | "PAUSED"): ActionVerdict {
  let { status } = state;
  for (const { name } of state.details.actions ?? []) {
    if (name === "PAUSE") status = "PAUSED";
    if (name === "RESUME") status = "RUNNING";
  }
  return status === wanted ? ACCEPTED : rejected(`the run is ${status}, not ${wanted}`);
}

/** A finished run accepts only a retry or a compensation, which reopen it. */
function judgeEnded(state: RunState, action: RequestedAction): ActionVerdict {
  if (action.name === "COMPENSATE") return judgeCompensate(state, action);
  if (action.name !== "RETRY_RUN" && action.name !== "RETRY_STEP") return rejected(`the run is ${state.status}`);
  return judgeRetry(state, action, (steps) => {
    const data = { steps: compactSteps(steps) as Json };
    return [{ ...runLevel("RunReopened", state, action.signalId), data }];
  });
}

/** The run is reopened without steps to run: it only compensates (D8). */
function judgeCompensate(state: RunState, { signalId }: RequestedAction): ActionVerdict {
  if (state.status !== "FAILED") return rejected(`the run is ${state.status}, not FAILED`);
  const data = { steps: [], compensate: true };
  return { accepted: true, drafts: [{ ...runLevel("RunReopened", state, signalId), data }] };
}

function judgeRetry(
  state: RunState,
  { name, stepId }: RequestedAction,
  draft: (steps: readonly string[]) => EventDraft[],
): ActionVerdict {
  if (name === "RETRY_STEP" && stepId === undefined) return rejected("the action names no step");
  const steps = stepsToRetry(state, stepId);
  return steps.length === 0 ? rejected("there is nothing to retry") : { accepted: true, drafts: draft(steps) };
}

function judgeSkip(state: RunState, stepId: string | undefined): ActionVerdict {
  if (stepId === undefined) return rejected("the action names no step");
  return state.steps.get(stepId)?.status === "SUCCESS" ? rejected(`step ${stepId} has completed`) : ACCEPTED;
}
