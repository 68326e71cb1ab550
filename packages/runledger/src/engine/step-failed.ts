import type { ArtifactRef, Json, RunError } from "@runledger/contracts";
import { indexPlan, pathOf, retryDelay, type EventDraft, type RunState } from "@runledger/core";
import type { Attempt } from "./in-flight.js";
import type { RunFacts } from "./run-facts.js";

/** How an attempt that failed is recorded: with the time of the next one, where the plan grants one (D5). */
export function stepFailed(
  facts: RunFacts,
  state: RunState,
  { stepId, attempt }: Attempt,
  error: RunError,
  /** What it left behind, and how long whoever refused it asked to be left alone. */
  more: { readonly artifacts?: readonly ArtifactRef[]; readonly retryAfterMs?: number } = {},
): EventDraft {
  const step = indexPlan(facts.workflow.plan).get(pathOf(stepId))!;
  const budgetFrom = state.steps.get(stepId)?.budgetFrom;
  const about = { runId: facts.runId, stepId, attempt, ...(budgetFrom === undefined ? {} : { budgetFrom }) };
  const delay = retryDelay(step, about, error);
  const { artifacts, retryAfterMs = 0 } = more;
  const left = artifacts === undefined ? {} : { artifacts: artifacts as unknown as Json };
  const retryAt = delay === null ? {} : { retryAt: timeAfter(facts, Math.max(delay, retryAfterMs)) };
  return { eventType: "StepFailed", stepId, attempt, data: { error: { ...error }, ...left, ...retryAt } };
}

function timeAfter({ now }: RunFacts, ms: number): string {
  return new Date(now() + ms).toISOString();
}
