/** Steps that run after all others: compensations, and the step that runs before a run fails (D8). */
import { ON_FAILURE, type CompensateOn, type Plan, type PlanStep, type StepRow } from "@runledger/contracts";
import type { RunState } from "../fold/run-state.js";
import { standingOf } from "./body-walk.js";
import type { Command } from "./commands.js";
import { pathOf, UNDO } from "./instance-ids.js";
import { indexPlan, isInner } from "./plan-index.js";

export function compensatesOn({ compensateOn = ["cancel"] }: Plan, ...events: readonly CompensateOn[]): boolean {
  return events.some((event) => compensateOn.includes(event));
}

/** Compensates one step at a time, in reverse order of completion. Returns `null` if all are done. */
export function undoNext(plan: Plan, state: RunState): Command[] | null {
  const stepAt = indexPlan(plan);
  const undoable = state.steps.rows().filter((row) => isUndoable(stepAt, row));
  for (const { stepId } of undoable.sort((a, b) => b.endedSeq! - a.endedSeq!)) {
    const command = runOnce(state, UNDO + stepId);
    if (command !== null) return [command];
  }
  return null;
}

function isUndoable(stepAt: ReadonlyMap<string, PlanStep>, { stepId, status, kept }: StepRow): boolean {
  if (status !== "SUCCESS" || stepId.startsWith(UNDO) || isInner(stepAt, stepId)) return false;
  if (kept !== undefined) return false; // the effect belongs to the origin, not to this fork
  return stepAt.get(pathOf(stepId))!.compensate === true;
}

/** Returns `null` if the plan has no such step, or if it is done. */
export function handleFailure({ onFailure }: Plan, state: RunState): Command[] | null {
  const command = onFailure === undefined ? null : runOnce(state, ON_FAILURE);
  return command === null ? null : [command];
}

/** Returns `null` if the step is done. A failed attempt is retried as its policy says. */
function runOnce(state: RunState, stepId: string): Command | null {
  const row = state.steps.get(stepId);
  if (row !== undefined && standingOf(row).done) return null;
  const at = { stepId, path: pathOf(stepId) };
  const attempt = Number(row?.logicalAttemptId ?? "1");
  if (row?.retryAt === undefined) return { type: "run", ...at, attempt };
  return { type: "run", ...at, attempt: attempt + 1, notBefore: row.retryAt };
}

/** Returns `true` if a compensation has started. A retry resets compensations, so they count only until then. */
export function hasUndone(state: RunState): boolean {
  return state.steps.rows().some(({ stepId, status }) => stepId.startsWith(UNDO) && status !== "PENDING");
}
