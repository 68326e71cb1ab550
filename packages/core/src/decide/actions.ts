/**
 * The engine's answers to actions, oldest first (G1). stopping.ts answers `CANCEL` and `DEADLINE`. early-end.ts answers
 * actions that end a running step.
 */
import type { Json, PendingAction, PlanStep, StepRow } from "@runledger/contracts";
import type { RunState } from "../fold/run-state.js";
import type { Command, EventDraft } from "./commands.js";
import { hasUndone } from "./compensate.js";
import { compactSteps } from "./compact-steps.js";
import { append, runLevel } from "./drafts.js";
import { isInstance } from "./plan-index.js";
import { stepsHeldUpBy, stepsToRetry } from "./retry-scope.js";

export const actions = [
  "APPROVE",
  "PAUSE",
  "RESUME",
  "CANCEL",
  "RETRY_STEP",
  "SKIP_STEP",
  "RETRY_RUN",
  "COMPENSATE",
] as const;
export type Action = (typeof actions)[number];

/** Returns the answer to the oldest action that can be answered now, or `null` if there is none. */
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
      return [append(reset(state, retried(state, action.stepId ?? ""), action))];
    case "RETRY_RUN":
      return [append(reset(state, retried(state), action))];
    case "SKIP_STEP":
      return skip(stepAt, state, action);
    default:
      return null;
  }
}

/** A run that is being compensated cannot go back: a step would run while its effect is undone. */
function retried(state: RunState, only?: string): readonly string[] {
  return hasUndone(state) ? [] : stepsToRetry(state, only);
}

function status(eventType: string, state: RunState, { signalId }: PendingAction): Command {
  return { type: "append", event: runLevel(eventType, state, signalId), changesStatus: true };
}

/** An event without steps records that there was nothing to reset: an action that came too late is answered, too. */
function reset(state: RunState, stepIds: readonly string[], action?: PendingAction): EventDraft {
  const data = { steps: compactSteps(stepIds) as Json };
  return { ...runLevel("StepsReset", state, action?.signalId), data };
}

/** Skips the step and resets the steps it blocked. */
function skip(
  stepAt: ReadonlyMap<string, PlanStep>,
  state: RunState,
  action: PendingAction,
): readonly Command[] | null {
  const { stepId = "" } = action;
  const row = state.steps.get(stepId);
  const isTooLate = row?.status === "SUCCESS" || hasUndone(state);
  if (isTooLate || !isInstance(stepAt, state, stepId)) return [append(reset(state, [], action))];
  if (row?.status === "RUNNING") return null;
  const heldUp = stepsHeldUpBy(state, stepId);
  const event = skipped(stepId, row, action);
  return heldUp.length === 0 ? [append(event)] : [append(event), append(reset(state, heldUp))];
}

/** A finished attempt keeps its status (F2), so the skip gets the next attempt. */
export function skipped(stepId: string, row: StepRow | undefined, { signalId }: PendingAction): EventDraft {
  const over = row?.status === "FAILED" || row?.status === "SKIPPED" ? 1 : 0;
  const attempt = Number(row?.logicalAttemptId ?? "1") + over;
  return { eventType: "StepSkipped", stepId, attempt, data: { reason: "OPERATOR" }, causedBySignalId: signalId };
}
