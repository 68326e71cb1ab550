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
  /** `drafts`: what the action does at once, beside being accepted. */
  | { readonly accepted: true; readonly drafts: readonly EventDraft[] }
  | { readonly accepted: false; readonly reason: string };

const ACCEPTED: Verdict = { accepted: true, drafts: [] };
const rejected = (reason: string): Verdict => ({ accepted: false, reason });

interface Wish {
  readonly name: Action;
  readonly signalId: string;
  readonly stepId?: string;
}

export function judgeAction(state: RunState, action: Wish): Verdict {
  if (isTerminal(state.status)) return judgeEnded(state, action);
  const stopping = stopReason(state);
  if (stopping !== null) return rejected(`the run is being stopped (${stopping.name})`);
  switch (action.name) {
    case "CANCEL":
      return ACCEPTED;
    case "APPROVE":
      return state.status === "PENDING" ? ACCEPTED : rejected("the run does not wait for approval");
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

/**
 * What was accepted and is still to be done counts: whoever pauses a run and changes his mind at once is heard, although
 * nobody has paused it yet.
 */
function expected(state: RunState, wanted: "RUNNING" | "PAUSED"): Verdict {
  let { status } = state;
  for (const { name } of state.details.actions ?? []) {
    if (name === "PAUSE") status = "PAUSED";
    if (name === "RESUME") status = "RUNNING";
  }
  return status === wanted ? ACCEPTED : rejected(`the run is ${status}, not ${wanted}`);
}

/** A finished run takes nothing but a retry, which reopens it. */
function judgeEnded(state: RunState, action: Wish): Verdict {
  if (action.name !== "RETRY_RUN" && action.name !== "RETRY_STEP") return rejected(`the run is ${state.status}`);
  return judgeRetry(state, action, (steps) => {
    const data = { steps: compactSteps(steps) as Json };
    return [{ ...runLevel("RunReopened", state, action.signalId), data }];
  });
}

function judgeRetry(
  state: RunState,
  { name, stepId }: Wish,
  draft: (steps: readonly string[]) => EventDraft[],
): Verdict {
  if (name === "RETRY_STEP" && stepId === undefined) return rejected("it names no step");
  const steps = stepsToRetry(state, stepId);
  return steps.length === 0 ? rejected("there is nothing to retry") : { accepted: true, drafts: draft(steps) };
}

function judgeSkip(state: RunState, stepId: string | undefined): Verdict {
  if (stepId === undefined) return rejected("it names no step");
  return state.steps.get(stepId)?.status === "SUCCESS" ? rejected(`step ${stepId} has completed`) : ACCEPTED;
}
