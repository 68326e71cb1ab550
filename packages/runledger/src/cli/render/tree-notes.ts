/** Notes about a started step: duration, attempts, progress and result. */
import type { PlanStep, StepRow } from "@runledger/contracts";
import { prefixOf } from "@runledger/core";
import { duration, short } from "./format.js";
import type { FailedAttempt, TreeView } from "./tree-view.js";

const BAR = 10;

export function notesOf(view: TreeView, step: PlanStep | undefined, row: StepRow): string[] {
  const notes = [timeNote(view, step, row), attemptNote(view, step, row), kindNote(view, step, row), endNote(row)];
  return notes.filter((note) => note !== "");
}

function timeNote({ now }: TreeView, step: PlanStep | undefined, row: StepRow): string {
  if (row.kept !== undefined) return "kept";
  const waits = row.status === "RUNNING" && (step?.kind === "wait" || step?.kind === "sleep");
  if (row.startedAt === undefined || waits) return "";
  return duration((row.completedAt === undefined ? now : Date.parse(row.completedAt)) - Date.parse(row.startedAt));
}

/** `attempt 2 of 5 (1: TIMEOUT after 1.5 s)` */
function attemptNote({ failed, now }: TreeView, step: PlanStep | undefined, row: StepRow): string {
  const retry = row.retryAt === undefined ? "" : `, retry in ${duration(Date.parse(row.retryAt) - now)}`;
  if (row.logicalAttemptId === "1" && retry === "") return "";
  const budget = step?.retry === undefined ? "" : ` of ${step.retry.attempts + (row.budgetFrom ?? 1) - 1}`;
  const before = failed.get(row.stepId);
  const isEarlier = before !== undefined && before.attempt < Number(row.logicalAttemptId);
  return `attempt ${row.logicalAttemptId}${budget}${isEarlier ? ` (${failedNote(before)})` : ""}${retry}`;
}

function failedNote({ attempt, code, ms }: FailedAttempt): string {
  return `${attempt}: ${code}${ms === null ? "" : ` after ${duration(ms)}`}`;
}

function kindNote(view: TreeView, step: PlanStep | undefined, row: StepRow): string {
  if (step?.kind === "forEach") return itemsNote(view, step, row);
  if (row.opened?.childRunId !== undefined) return `run ${row.opened.childRunId}`;
  if (row.status !== "RUNNING") return "";
  if (step?.kind === "wait") return `waiting for "${step.signal}"${leftNote(view, row, step.timeoutMs)}`;
  if (step?.kind === "sleep") return `sleeping${untilNote(view, row, step)}`;
  return "";
}

function leftNote({ now }: TreeView, row: StepRow, timeoutMs: number | undefined): string {
  if (timeoutMs === undefined || row.startedAt === undefined) return "";
  return `, ${duration(Date.parse(row.startedAt) + timeoutMs - now)} left`;
}

function untilNote(view: TreeView, row: StepRow, { forMs }: PlanStep): string {
  const until = row.opened?.until;
  return until === undefined ? leftNote(view, row, forMs) : `, ${duration(Date.parse(until) - view.now)} left`;
}

/** `███████▁▁▁ 68%  34/50` */
function itemsNote({ state }: TreeView, step: PlanStep, row: StepRow): string {
  const { count = 0 } = row.opened ?? {};
  if (count === 0) return "no items";
  const last = step.bodies?.[0]?.steps.at(-1)?.id ?? "";
  let done = row.status === "SUCCESS" ? count : 0;
  for (let index = 0; row.status !== "SUCCESS" && index < count; index++) {
    const { status, retryAt } = state.steps.get(prefixOf(row.stepId, index) + last) ?? {};
    const isFinished = status === "SUCCESS" || status === "SKIPPED" || (status === "FAILED" && retryAt === undefined);
    if (isFinished) done++;
  }
  const full = Math.floor((done / count) * BAR);
  return `${"█".repeat(full)}${"▁".repeat(BAR - full)} ${Math.floor((done / count) * 100)}%  ${done}/${count}`;
}

function endNote({ status, error, culprit, reason }: StepRow): string {
  if (status === "FAILED") return error === undefined ? "" : short(`${error.code} ${error.message}`);
  if (status !== "SKIPPED") return "";
  return culprit === undefined ? `skipped (${reason ?? "by an operator"})` : `skipped because ${culprit} failed`;
}
