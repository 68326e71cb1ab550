/**
 * Decides what to do next: a pure function of the plan and the folded log. It reads only data and no clock (D1, D3).
 * For the same state it returns the same commands.
 */
import type { JsonObject, Plan, StepRow } from "@runledger/contracts";
import { isTerminal, type RunState } from "../fold/run-state.js";
import { answerAction } from "./actions.js";
import { walkBody, type Walk } from "./body-walk.js";
import type { Command, EventDraft } from "./commands.js";
import { compensatesOn, handleFailure, undoNext } from "./compensate.js";
import { runEnd, runLevel } from "./drafts.js";
import { earlyEnds } from "./early-end.js";
import { PassMemory } from "./passes.js";
import { indexPlan } from "./plan-index.js";
import { walkRunning } from "./running-steps.js";
import { deadlineFailure, stop, stopReason } from "./stopping.js";

export function decide(plan: Plan, state: RunState): readonly Command[] {
  return decideWith(plan, state, new PassMemory());
}

/** With a memory, passes of a forEach in which nothing has happened are not walked again (D4). */
export function decideWith(plan: Plan, state: RunState, memory: PassMemory): readonly Command[] {
  if (isTerminal(state.status)) return [];
  const stopping = stopReason(state);
  if (stopping !== null) return stop(plan, state, stopping);
  if (state.status === "PENDING" || state.status === "APPROVED") return begin(plan, state);
  return answerAction(indexPlan(plan), state) ?? [...deadline(state), ...proceed(plan, state, memory)];
}

/** A plan may require an operator's approval. A reopened run keeps its approval. */
function begin(plan: Plan, state: RunState): readonly Command[] {
  const approved = state.status === "APPROVED" || state.ordinals["RunApproved"] !== undefined;
  if (!plan.approval || approved) return [changeStatus(runLevel("RunStarted", state))];
  const approval = state.details.actions?.find(({ name }) => name === "APPROVE");
  return approval === undefined ? [] : [changeStatus(runLevel("RunApproved", state, approval.signalId))];
}

/** The expired deadline is recorded as an action of the system, so that every worker sees the same. */
function deadline({ details }: RunState): readonly Command[] {
  if (details.deadlineAt === undefined) return [];
  const data = { namespace: "action", name: "DEADLINE" };
  const event = { eventType: "SignalAccepted", attempt: `deadline-${details.deadlineAt}`, data };
  return [{ type: "append", event, notBefore: details.deadlineAt }];
}

function proceed(plan: Plan, state: RunState, memory: PassMemory): readonly Command[] {
  const walk = newWalk(plan, state, memory);
  const standing = walkBody(walk, plan.body, "", walkRunning);
  if (!standing.done || !walk.mayStart) return walk.commands;
  return standing.culprit === null
    ? [changeStatus(runEnd(completed(plan, state), state))]
    : fail(plan, state, standing.culprit);
}

/** Compensates if the plan requires it, then calls the failure handler, then fails (D8). */
function fail(plan: Plan, state: RunState, culprit: string): readonly Command[] {
  const undo = compensatesOn(plan, "failure") ? undoNext(plan, state) : null;
  return undo ?? handleFailure(plan, state) ?? [changeStatus(runEnd(failed(state, culprit), state))];
}

function changeStatus(event: EventDraft): Command {
  return { type: "append", event, changesStatus: true };
}

function completed(plan: Plan, state: RunState): EventDraft {
  const data = plan.body.output === null ? { output: null } : { outputFrom: plan.body.output };
  return { ...runLevel("RunCompleted", state), data };
}

/** The root cause is the step that failed first, not the container around it. */
function failed(state: RunState, culprit: string): EventDraft {
  return { ...runLevel("RunFailed", state), data: causeOf(state, culprit) };
}

function causeOf(state: RunState, culprit: string): JsonObject {
  const { stepId, error } = rootCause(state, state.steps.get(culprit)!);
  return { error: { ...error! }, culprit: stepId };
}

/** Returns the error that the run is about to fail with, and the step that caused it, for its failure handler. */
export function pendingFailure(plan: Plan, state: RunState): JsonObject {
  if (stopReason(state) !== null) return deadlineFailure(state);
  const standing = walkBody(newWalk(plan, state, new PassMemory()), plan.body, "", walkRunning);
  return causeOf(state, (standing as { readonly culprit: string }).culprit);
}

function newWalk(plan: Plan, state: RunState, memory: PassMemory): Walk {
  const mayStart = state.status === "RUNNING";
  return { stepAt: indexPlan(plan), state, memory, commands: [], taken: new Set(), ending: earlyEnds(state), mayStart };
}

export function rootCause(state: RunState, row: StepRow): StepRow {
  return row.culprit === undefined ? row : rootCause(state, state.steps.get(row.culprit)!);
}
