/**
 * A run that is cancelled or out of time (D8): what runs is aborted and awaited, then completed steps that can be are
 * undone, the last one first; a failing undo is on record and the rest go on. Then the run ends.
 */
import type { PendingAction, PlanStep, StepRow } from "@runledger/contracts";
import type { RunState } from "../fold/run-state.js";
import { runLevel } from "./actions.js";
import { isRunner } from "./body-walk.js";
import type { Command } from "./commands.js";
import { pathOf } from "./instance-ids.js";
import { ended, failure } from "./running-steps.js";

export const UNDO = "compensate/";

export function stopReason(state: RunState): PendingAction | null {
  return state.details.actions?.find(({ name }) => name === "CANCEL" || name === "DEADLINE") ?? null;
}

export function stop(stepAt: ReadonlyMap<string, PlanStep>, state: RunState, reason: PendingAction): Command[] {
  const rows = state.steps.rows();
  const running = rows.filter((row) => row.status === "RUNNING" && !row.stepId.startsWith(UNDO));
  if (running.length > 0) return running.flatMap((row) => stopStep(stepAt, row, running));
  return undoNext(stepAt, state, rows) ?? [endRun(state, reason)];
}

/** From the inside out: a container ends when nothing in it runs any more. */
function stopStep(stepAt: ReadonlyMap<string, PlanStep>, row: StepRow, running: readonly StepRow[]): Command[] {
  const attempt = Number(row.logicalAttemptId);
  const step = stepAt.get(pathOf(row.stepId));
  if (step !== undefined && isRunner(step.kind)) return [{ type: "abort", stepId: row.stepId, attempt }];
  if (running.some(({ stepId }) => stepId.startsWith(`${row.stepId}/`))) return [];
  const record: Command = {
    type: "append",
    event: ended(row, "StepFailed", failure("CANCELLED", "The run was stopped.")),
  };
  const childRunId = row.opened?.childRunId;
  return childRunId === undefined ? [record] : [{ type: "cancelChild", childRunId }, record];
}

/** One after the other, in reverse order of completion; null = all are done. */
function undoNext(stepAt: ReadonlyMap<string, PlanStep>, state: RunState, rows: readonly StepRow[]): Command[] | null {
  const completed = rows.filter(
    (row) => row.status === "SUCCESS" && stepAt.get(pathOf(row.stepId))?.compensate === true,
  );
  for (const row of completed.sort((a, b) => b.endedSeq! - a.endedSeq!)) {
    const stepId = UNDO + row.stepId;
    const undo = state.steps.get(stepId);
    if (undo?.status === "SUCCESS" || undo?.status === "FAILED") continue;
    return [{ type: "run", stepId, path: pathOf(row.stepId), attempt: Number(undo?.logicalAttemptId ?? "1") }];
  }
  return null;
}

function endRun(state: RunState, { name, signalId }: PendingAction): Command {
  const event =
    name === "CANCEL"
      ? runLevel("RunCancelled", state, signalId)
      : { ...runLevel("RunFailed", state, signalId), data: failure("DEADLINE_EXCEEDED", "The run was out of time.") };
  return { type: "append", event, changesStatus: true };
}
