/**
 * Stops a run that is cancelled or out of time, or compensates one that has failed (D8). Running steps are aborted and
 * awaited. Then completed steps that can be compensated are, last one first; a failed compensation is recorded and the
 * others continue. Then the run ends. Further actions have no effect in the meantime.
 */
import {
  omitUndefined,
  ON_FAILURE,
  type JsonObject,
  type PendingAction,
  type Plan,
  type PlanStep,
  type StepRow,
} from "@runledger/contracts";
import type { RunState } from "../fold/run-state.js";
import { isRunner } from "./body-walk.js";
import type { Command } from "./commands.js";
import { append, ended, failure, runEnd, runLevel } from "./drafts.js";
import { compensatesOn, handleFailure, undoNext } from "./compensate.js";
import { idsAround, pathOf, UNDO } from "./instance-ids.js";
import { indexPlan, isInner } from "./plan-index.js";

export function stopReason(state: RunState): PendingAction | null {
  return state.details.actions?.find(({ name }) => STOPS.has(name)) ?? null;
}

const STOPS = new Set(["CANCEL", "DEADLINE", "COMPENSATE"]);

export function stop(plan: Plan, state: RunState, reason: PendingAction): Command[] {
  const running = state.steps.rows().filter((row) => row.status === "RUNNING" && isStopped(row, reason));
  const stopping = stopSteps(indexPlan(plan), running);
  if (stopping.length > 0) return stopping;
  const undo = undoes(plan, reason) ? undoNext(plan, state) : null;
  if (undo !== null) return undo;
  const handler = reason.name === "DEADLINE" ? handleFailure(plan, state) : null;
  return handler ?? [endRun(state, reason)];
}

/** A run that is out of time fails, so its failure handler may finish. */
function isStopped({ stepId }: StepRow, { name }: PendingAction): boolean {
  return !stepId.startsWith(UNDO) && (stepId !== ON_FAILURE || name === "CANCEL");
}

function undoes(plan: Plan, { name }: PendingAction): boolean {
  if (name === "COMPENSATE") return true;
  return name === "CANCEL" ? compensatesOn(plan, "cancel") : compensatesOn(plan, "cancel", "failure");
}

/**
 * Stops from the inside out: a container ends after everything inside it has stopped. Inner steps end with their runner
 * (D11).
 */
export function stopSteps(stepAt: ReadonlyMap<string, PlanStep>, rows: readonly StepRow[]): Command[] {
  const running = rows.filter(({ stepId }) => !isInner(stepAt, stepId));
  const busy = new Set(running.flatMap(({ stepId }) => idsAround(stepId)));
  return running.flatMap((row) => (busy.has(row.stepId) ? [] : stopStep(stepAt.get(pathOf(row.stepId))!, row)));
}

function stopStep(step: PlanStep, row: StepRow): Command[] {
  const { stepId } = row;
  if (isRunner(step.kind)) return [{ type: "abort", stepId, attempt: Number(row.logicalAttemptId) }];
  if (step.kind === "child") return stopChild(row);
  return [append(ended(row, "StepFailed", failure("CANCELLED", "The step was stopped before it finished.")))];
}

/** Cancels the child; the step ends with it (D9). */
function stopChild(row: StepRow): Command[] {
  return [{ type: "cancelChild", childRunId: row.opened!.childRunId! }, awaitChild(row)];
}

export function awaitChild({ stepId, logicalAttemptId, opened }: StepRow): Command {
  return { type: "awaitChild", stepId, attempt: Number(logicalAttemptId), childRunId: opened!.childRunId! };
}

function endRun(state: RunState, { name, signalId }: PendingAction): Command {
  const data = name === "COMPENSATE" ? earlierFailure(state) : deadlineFailure(state);
  const event =
    name === "CANCEL" ? runLevel("RunCancelled", state, signalId) : { ...runLevel("RunFailed", state, signalId), data };
  return { type: "append", event: runEnd(event, state), changesStatus: true };
}

/** A compensated run fails with the error of its first failure. */
function earlierFailure({ details: { error, culprit } }: RunState): JsonObject {
  return { error: { ...error! }, ...omitUndefined({ culprit }) };
}

export function deadlineFailure(state: RunState): JsonObject {
  return failure("DEADLINE_EXCEEDED", deadlineMessage(state));
}

function deadlineMessage({ details }: RunState): string {
  return `The run exceeded its deadline of ${details.deadlineAt}. Raise "deadline" or make the run shorter.`;
}
