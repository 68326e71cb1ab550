/** What the engine answers to an operator's actions, oldest first (G1). `CANCEL` and `DEADLINE` are in stopping.ts. */
import type { PendingAction, PlanStep } from "@runledger/contracts";
import type { RunState } from "../fold/run-state.js";
import type { Command, EventDraft } from "./commands.js";
import { pathOf } from "./instance-ids.js";

export const actions = ["APPROVE", "PAUSE", "RESUME", "CANCEL", "RETRY_STEP", "SKIP_STEP", "RETRY_RUN"] as const;
export type Action = (typeof actions)[number];

/** The answer to the oldest action that has one; null = nothing to answer. */
export function answerAction(stepAt: ReadonlyMap<string, PlanStep>, state: RunState): Command | null {
  for (const action of state.details.actions ?? []) {
    const answer = answerOf(stepAt, state, action);
    if (answer !== null) return answer;
  }
  return null;
}

function answerOf(stepAt: ReadonlyMap<string, PlanStep>, state: RunState, action: PendingAction): Command | null {
  switch (action.name as Action) {
    case "PAUSE":
      return status("RunPaused", state, action);
    case "RESUME":
      return status("RunResumed", state, action);
    case "RETRY_STEP":
      return reset(state, action, stepsToRetry(stepAt, state, action.stepId));
    case "RETRY_RUN":
      return reset(state, action, stepsToRetry(stepAt, state, undefined));
    case "SKIP_STEP":
      return skip(state, action);
    default:
      return null;
  }
}

function status(eventType: string, state: RunState, { signalId }: PendingAction): Command {
  return { type: "append", event: runLevel(eventType, state, signalId), changesStatus: true };
}

export function runLevel(eventType: string, state: RunState, causedBySignalId?: string): EventDraft {
  const attempt = (state.ordinals[eventType] ?? 0) + 1; // K2
  return causedBySignalId === undefined ? { eventType, attempt } : { eventType, attempt, causedBySignalId };
}

function reset(state: RunState, { signalId }: PendingAction, steps: readonly string[]): Command {
  return { type: "append", event: { ...runLevel("StepsReset", state, signalId), data: { steps: [...steps] } } };
}

/** An attempt that has ended keeps its status (F2): the skip is the next one's. */
function skip(state: RunState, { signalId, stepId = "" }: PendingAction): Command {
  const row = state.steps.get(stepId);
  const attempt = Number(row?.logicalAttemptId ?? "1") + (row?.status === "FAILED" ? 1 : 0);
  const data = { reason: "OPERATOR" };
  return { type: "append", event: { eventType: "StepSkipped", stepId, attempt, data, causedBySignalId: signalId } };
}

/**
 * What failed, the containers it is in, and what was skipped because of it; nothing that succeeded (K4).
 * `only` narrows it to one step and those who wait for it.
 */
export function stepsToRetry(
  stepAt: ReadonlyMap<string, PlanStep>,
  state: RunState,
  only: string | undefined,
): string[] {
  const rows = state.steps.rows();
  const failed = rows.filter((row) => row.status === "FAILED" && row.retryAt === undefined);
  const skipped = rows.filter((row) => row.status === "SKIPPED" && row.culprit !== undefined);
  const all = [...failed, ...skipped].map(({ stepId }) => stepId);
  if (only === undefined) return all;
  const waiting = dependents(stepAt, pathOf(only));
  return all.filter((stepId) => stepId === only || only.startsWith(`${stepId}/`) || waiting.has(pathOf(stepId)));
}

/** Everybody who waits for a step, directly or not, or for a container it is in. */
function dependents(stepAt: ReadonlyMap<string, PlanStep>, path: string): ReadonlySet<string> {
  const found = new Set<string>();
  const open = path.split("/").map((_, depth, names) => names.slice(0, depth + 1).join("/"));
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    for (const [candidate, { needs, after }] of stepAt) {
      if (found.has(candidate) || ![...Object.values(needs), ...after].includes(next)) continue;
      found.add(candidate);
      open.push(candidate);
    }
  }
  return found;
}
