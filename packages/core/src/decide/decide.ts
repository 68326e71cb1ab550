/**
 * What to do next: a pure function of the plan and of what the log says. It sees data only and knows no clock (D1, D3);
 * called again with the same state it says the same.
 */
import type { Plan, PlanStep, StepRow } from "@runledger/contracts";
import { isTerminal, type RunState } from "../fold/run-state.js";
import { answerAction } from "./actions.js";
import { walkBody, type Walk } from "./body-walk.js";
import type { Command, EventDraft } from "./commands.js";
import { runLevel } from "./drafts.js";
import { earlyEnds } from "./early-end.js";
import { PassMemory } from "./passes.js";
import { indexPlan } from "./plan-index.js";
import { walkRunning } from "./running-steps.js";
import { stop, stopReason } from "./stopping.js";

export function decide(plan: Plan, state: RunState): readonly Command[] {
  return decideWith(plan, state, new PassMemory());
}

/** With a memory, passes of a forEach in which nothing has happened are not looked at again (D4). */
export function decideWith(plan: Plan, state: RunState, memory: PassMemory): readonly Command[] {
  if (isTerminal(state.status)) return [];
  const stepAt = indexPlan(plan);
  const stopping = stopReason(state);
  if (stopping !== null) return stop(stepAt, state, stopping);
  if (state.status === "PENDING" || state.status === "APPROVED") return begin(plan, state);
  return answerAction(stepAt, state) ?? [...deadline(state), ...proceed(plan, stepAt, state, memory)];
}

/** A plan may ask for an operator's approval first; a reopened run has had it. */
function begin(plan: Plan, state: RunState): readonly Command[] {
  const approved = state.status === "APPROVED" || state.ordinals["RunApproved"] !== undefined;
  if (!plan.approval || approved) return [changeStatus(runLevel("RunStarted", state))];
  const approval = state.details.actions?.find(({ name }) => name === "APPROVE");
  return approval === undefined ? [] : [changeStatus(runLevel("RunApproved", state, approval.signalId))];
}

/** Out of time is an action of the system's own: once it is on record, every worker sees the same. */
function deadline({ details }: RunState): readonly Command[] {
  if (details.deadlineAt === undefined) return [];
  const data = { namespace: "action", name: "DEADLINE" };
  const event = { eventType: "SignalAccepted", attempt: `deadline-${details.deadlineAt}`, data };
  return [{ type: "append", event, notBefore: details.deadlineAt }];
}

function proceed(
  plan: Plan,
  stepAt: ReadonlyMap<string, PlanStep>,
  state: RunState,
  memory: PassMemory,
): readonly Command[] {
  const mayStart = state.status === "RUNNING";
  const walk: Walk = { stepAt, state, memory, commands: [], taken: new Set(), ending: earlyEnds(state), mayStart };
  const standing = walkBody(walk, plan.body, "", walkRunning);
  if (!standing.done || !walk.mayStart) return walk.commands;
  return [changeStatus(standing.culprit === null ? completed(plan, state) : failed(state, standing.culprit))];
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
  const { stepId, error } = rootCause(state, culprit);
  return { ...runLevel("RunFailed", state), data: { error: { ...error! }, culprit: stepId } };
}

function rootCause(state: RunState, stepId: string): StepRow {
  const row = state.steps.get(stepId)!;
  return row.culprit === undefined ? row : rootCause(state, row.culprit);
}
