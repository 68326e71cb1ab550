/**
 * What the engine answers to actions, oldest first (G1). `CANCEL` and `DEADLINE` are in stopping.ts; what ends a step
 * that runs is answered where the walk meets it, in early-end.ts.
 */
import type { Json, PendingAction, PlanStep, StepRow } from "@runledger/contracts";
import type { RunState } from "../fold/run-state.js";
import type { Command, EventDraft } from "./commands.js";
import { compactSteps } from "./compact-steps.js";
import { append, runLevel } from "./drafts.js";
import { isInstance } from "./plan-index.js";
import { stepsHeldUpBy, stepsToRetry } from "./retry-scope.js";

export const actions = ["APPROVE", "PAUSE", "RESUME", "CANCEL", "RETRY_STEP", "SKIP_STEP", "RETRY_RUN"] as const;
export type Action = (typeof actions)[number];

/** The answer to the oldest action that has one now; null = there is none. */
export function answerAction(stepAt: ReadonlyMap<string, PlanStep>, state: RunState): readonly Command[] | null {
  for (const action of state.details.actions ?? []) {
    const answer = answerOf(stepAt, state, action);
    if (answer !== null) return answer;
  }
  return null;
}

function answerOf(
  stepAt: ReadonlyMap<string, PlanStep>,
  state: RunState,
  action: PendingAction,
): readonly Command[] | null {
  switch (action.name as Action) {
    case "PAUSE":
      return [status("RunPaused", state, action)];
    case "RESUME":
      return [status("RunResumed", state, action)];
    case "RETRY_STEP":
      return [append(reset(state, stepsToRetry(state, action.stepId ?? ""), action))];
    case "RETRY_RUN":
      return [append(reset(state, stepsToRetry(state), action))];
    case "SKIP_STEP":
      return skip(stepAt, state, action);
    default:
      return null;
  }
}

function status(eventType: string, state: RunState, { signalId }: PendingAction): Command {
  return { type: "append", event: runLevel(eventType, state, signalId), changesStatus: true };
}

/** Without steps it says that there was nothing to do: an action that came too late has its answer all the same. */
function reset(state: RunState, stepIds: readonly string[], action?: PendingAction): EventDraft {
  const data = { steps: compactSteps(stepIds) as Json };
  return { ...runLevel("StepsReset", state, action?.signalId), data };
}

/** Whoever was held up by the step goes on without it. */
function skip(
  stepAt: ReadonlyMap<string, PlanStep>,
  state: RunState,
  action: PendingAction,
): readonly Command[] | null {
  const { stepId = "" } = action;
  const row = state.steps.get(stepId);
  if (row?.status === "SUCCESS" || !isInstance(stepAt, state, stepId)) return [append(reset(state, [], action))];
  if (row?.status === "RUNNING") return null;
  const heldUp = stepsHeldUpBy(state, stepId);
  const event = skipped(stepId, row, action);
  return heldUp.length === 0 ? [append(event)] : [append(event), append(reset(state, heldUp))];
}

/** An attempt that has ended keeps its status (F2): the skip is the next one's. */
export function skipped(stepId: string, row: StepRow | undefined, { signalId }: PendingAction): EventDraft {
  const over = row?.status === "FAILED" || row?.status === "SKIPPED" ? 1 : 0;
  const attempt = Number(row?.logicalAttemptId ?? "1") + over;
  return { eventType: "StepSkipped", stepId, attempt, data: { reason: "OPERATOR" }, causedBySignalId: signalId };
}
