/** Whether an action makes sense for a run as it stands, and what goes on record with it (G1, D8, K4). */
import { isTerminal, type RunState } from "../fold/run-state.js";
import type { Action } from "./actions.js";
import type { EventDraft } from "./commands.js";
import { compactSteps } from "./compact-steps.js";
import { runLevel } from "./drafts.js";
import { stepsToRetry } from "./retry-scope.js";
import { stopReason } from "./stopping.js";
import type { Json } from "@runledger/contracts";

export type Verdict =
  | {
      readonly accepted: true;
      /** What the action does at once, beside being accepted. */ readonly drafts: readonly EventDraft[];
    }
  | { readonly accepted: false; readonly reason: string };

const ACCEPTED: Verdict = { accepted: true, drafts: [] };
const rejected = (reason: string): Verdict => ({ accepted: false, reason });

export function judgeAction(
  state: RunState,
  action: { readonly name: Action; readonly signalId: string; readonly stepId?: string },
): Verdict {
  if (isTerminal(state.status)) return judgeEnded(state, action);
  const stopping = stopReason(state);
  if (stopping !== null) return rejected(`the run is being stopped (${stopping.name})`);
  switch (action.name) {
    case "CANCEL":
      return ACCEPTED;
    case "APPROVE":
      return state.status === "PENDING" ? ACCEPTED : rejected("the run does not wait for approval");
    case "PAUSE":
      return state.status === "RUNNING" ? ACCEPTED : rejected(`the run is ${state.status}, not RUNNING`);
    case "RESUME":
      return state.status === "PAUSED" ? ACCEPTED : rejected(`the run is ${state.status}, not PAUSED`);
    case "SKIP_STEP":
      return judgeSkip(state, action.stepId);
    case "RETRY_STEP":
    case "RETRY_RUN":
      return stepsToRetry(state, action.stepId).length > 0 ? ACCEPTED : rejected("there is nothing to retry");
  }
}

/** A finished run takes nothing but a retry, which reopens it. */
function judgeEnded(
  state: RunState,
  { name, signalId, stepId }: { readonly name: Action; readonly signalId: string; readonly stepId?: string },
): Verdict {
  if (name !== "RETRY_RUN" && name !== "RETRY_STEP") return rejected(`the run is ${state.status}`);
  const steps = stepsToRetry(state, stepId);
  if (steps.length === 0) return rejected("there is nothing to retry");
  const event = { ...runLevel("RunReopened", state, signalId), data: { steps: compactSteps(steps) as Json } };
  return { accepted: true, drafts: [event] };
}

function judgeSkip(state: RunState, stepId: string | undefined): Verdict {
  if (stepId === undefined) return rejected("it names no step");
  return state.steps.get(stepId)?.status === "SUCCESS" ? rejected(`step ${stepId} has completed`) : ACCEPTED;
}
