/**
 * What to do next: a pure function of the plan and of what the log says. It sees data only and knows no clock (D1, D3);
 * called again with the same state it says the same.
 */
import type { Plan, PlanStep } from "@runledger/contracts";
import { isTerminal, type RunState } from "../fold/run-state.js";
import { answerAction, runLevel } from "./actions.js";
import { walkBody, type Walk } from "./body-walk.js";
import type { Command } from "./commands.js";
import { indexPlan } from "./plan-index.js";
import { failure, walkRunning } from "./running-steps.js";
import { stop, stopReason } from "./stopping.js";

export function decide(plan: Plan, state: RunState): readonly Command[] {
  if (isTerminal(state.status)) return [];
  const stepAt = indexPlan(plan);
  const stopping = stopReason(state);
  if (stopping !== null) return stop(stepAt, state, stopping);
  if (state.status === "PENDING" || state.status === "APPROVED") return begin(plan, state);
  const answer = answerAction(stepAt, state);
  if (answer !== null) return [answer];
  return [...deadline(state), ...proceed(plan, stepAt, state)];
}

/** A plan may ask for an operator's approval first; a reopened run has had it. */
function begin(plan: Plan, state: RunState): readonly Command[] {
  const approved = state.status === "APPROVED" || (state.ordinals["RunApproved"] ?? 0) > 0;
  if (!plan.approval || approved)
    return [{ type: "append", event: runLevel("RunStarted", state), changesStatus: true }];
  const approval = state.details.actions?.find(({ name }) => name === "APPROVE");
  if (approval === undefined) return [];
  return [{ type: "append", event: runLevel("RunApproved", state, approval.signalId), changesStatus: true }];
}

/** Out of time is an action of the system's own: once it is on record, every worker sees the same. */
function deadline({ details }: RunState): readonly Command[] {
  if (details.deadlineAt === undefined) return [];
  const data = { namespace: "action", name: "DEADLINE" };
  const event = { eventType: "SignalAccepted", attempt: `deadline-${details.deadlineAt}`, data };
  return [{ type: "append", event, notBefore: details.deadlineAt }];
}

function proceed(plan: Plan, stepAt: ReadonlyMap<string, PlanStep>, state: RunState): readonly Command[] {
  const walk: Walk = { stepAt, state, commands: [], taken: new Set(), mayStart: state.status === "RUNNING" };
  const standing = walkBody(walk, plan.body, "", walkRunning);
  if (!standing.done || !walk.mayStart) return walk.commands;
  const event = standing.culprit === null ? completed(plan, state) : failed(state, standing.culprit);
  return [{ type: "append", event, changesStatus: true }];
}

function completed(plan: Plan, state: RunState) {
  const data = plan.body.output === null ? { output: null } : { outputFrom: plan.body.output };
  return { ...runLevel("RunCompleted", state), data };
}

/** The root cause is the step that failed first, not the container around it. */
function failed(state: RunState, culprit: string) {
  const root = rootCause(state, culprit);
  const { error } = state.steps.get(root)!;
  const data = error === undefined ? failure("STEP_FAILED", `${root} failed.`) : { error: { ...error } };
  return { ...runLevel("RunFailed", state), data: { ...data, culprit: root } };
}

function rootCause(state: RunState, culprit: string): string {
  const inner = state.steps.get(culprit)?.culprit;
  return inner === undefined || inner === culprit ? culprit : rootCause(state, inner);
}
