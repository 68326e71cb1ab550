import { cappedInstant, omitUndefined, type ArtifactRef, type Json, type RunError } from "@runledger/contracts";
import { indexPlan, pathOf, retryDelay, type EventDraft, type RunState } from "@runledger/core";
import type { AttemptRef } from "./in-flight.js";
import type { RunContext } from "./run-context.js";
import type { ErrorTrace } from "../workflow/error-trace.js";

/** Creates the StepFailed event, with the time of the next attempt if the plan grants one (D5). */
export function stepFailed(
  context: RunContext,
  state: RunState,
  { stepId, attempt }: AttemptRef,
  error: RunError,
  /** The trace of the error, the attempt's artifacts, the minimum delay that a server requested, and the inner step at fault. */
  more: ErrorTrace & {
    readonly artifacts?: readonly ArtifactRef[];
    readonly retryAfterMs?: number;
    readonly culprit?: string | undefined;
  } = {},
): EventDraft {
  const step = indexPlan(context.workflow.plan).get(pathOf(stepId))!;
  const budgetFrom = state.steps.get(stepId)?.budgetFrom;
  const about = { runId: context.runId, stepId, attempt, ...omitUndefined({ budgetFrom }) };
  const delay = retryDelay(step, about, error);
  const { artifacts, stack, cause, retryAfterMs = 0, culprit } = more;
  const left = omitUndefined({
    stack,
    culprit,
    cause: cause as unknown as Json,
    artifacts: artifacts as unknown as Json,
  });
  const retryAt = delay === null ? {} : { retryAt: timeAfter(context, Math.max(delay, retryAfterMs)) };
  return { eventType: "StepFailed", stepId, attempt, data: { error: { ...error }, ...left, ...retryAt } };
}

function timeAfter({ now }: RunContext, ms: number): string {
  return cappedInstant(now() + ms);
}
