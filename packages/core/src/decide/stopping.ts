/**
 * A run that is cancelled or out of time (D8): what runs is aborted and awaited, then completed steps that can be are
 * undone, the last one first; a failing undo is on record and the rest go on. Then the run ends. Other actions that come
 * in meanwhile have no effect any more.
 */
import type { PendingAction, PlanStep, StepRow } from "@runledger/contracts";
import type { RunState } from "../fold/run-state.js";
import { isRunner, standingOf } from "./body-walk.js";
import type { Command } from "./commands.js";
import { append, ended, failure, runLevel } from "./drafts.js";
import { idsAround, pathOf, UNDO } from "./instance-ids.js";

export function stopReason(state: RunState): PendingAction | null {
  return state.details.actions?.find(({ name }) => name === "CANCEL" || name === "DEADLINE") ?? null;
}

export function stop(stepAt: ReadonlyMap<string, PlanStep>, state: RunState, reason: PendingAction): Command[] {
  const rows = state.steps.rows();
  const running = rows.filter((row) => row.status === "RUNNING" && !row.stepId.startsWith(UNDO));
  if (running.length > 0) return stopSteps(stepAt, running);
  return undoNext(stepAt, state, rows) ?? [endRun(state, reason)];
}

/** From the inside out: a container ends when nothing in it runs any more. */
export function stopSteps(stepAt: ReadonlyMap<string, PlanStep>, running: readonly StepRow[]): Command[] {
  const busy = new Set(running.flatMap(({ stepId }) => idsAround(stepId)));
  return running.flatMap((row) => (busy.has(row.stepId) ? [] : stopStep(stepAt.get(pathOf(row.stepId))!, row)));
}

function stopStep(step: PlanStep, row: StepRow): Command[] {
  const { stepId } = row;
  if (isRunner(step.kind)) return [{ type: "abort", stepId, attempt: Number(row.logicalAttemptId) }];
  if (step.kind === "child") return stopChild(row);
  return [append(ended(row, "StepFailed", failure("CANCELLED", "It was stopped.")))];
}

/** The cancellation goes down, and the step ends with its child (D9). */
function stopChild(row: StepRow): Command[] {
  return [{ type: "cancelChild", childRunId: row.opened!.childRunId! }, awaitChild(row)];
}

export function awaitChild({ stepId, logicalAttemptId, opened }: StepRow): Command {
  return { type: "awaitChild", stepId, attempt: Number(logicalAttemptId), childRunId: opened!.childRunId! };
}

/** One after the other, in reverse order of completion; null = all are done. */
function undoNext(stepAt: ReadonlyMap<string, PlanStep>, state: RunState, rows: readonly StepRow[]): Command[] | null {
  const undoable = rows.filter(
    ({ stepId, status, kept }) =>
      status === "SUCCESS" &&
      kept === undefined && // another run's effect is not this one's to undo
      !stepId.startsWith(UNDO) &&
      stepAt.get(pathOf(stepId))!.compensate === true,
  );
  for (const row of undoable.sort((a, b) => b.endedSeq! - a.endedSeq!)) {
    const undo = state.steps.get(UNDO + row.stepId);
    if (undo === undefined || !standingOf(undo).done) return [runUndo(row, undo)];
  }
  return null;
}

function runUndo({ stepId }: StepRow, undo: StepRow | undefined): Command {
  const at = { stepId: UNDO + stepId, path: pathOf(stepId) };
  const attempt = Number(undo?.logicalAttemptId ?? "1");
  if (undo?.retryAt === undefined) return { type: "run", ...at, attempt };
  return { type: "run", ...at, attempt: attempt + 1, notBefore: undo.retryAt };
}

function endRun(state: RunState, { name, signalId }: PendingAction): Command {
  const event =
    name === "CANCEL"
      ? runLevel("RunCancelled", state, signalId)
      : { ...runLevel("RunFailed", state, signalId), data: failure("DEADLINE_EXCEEDED", "The run was out of time.") };
  return { type: "append", event, changesStatus: true };
}
