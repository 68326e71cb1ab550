/** Converts between what the code of a step returns or throws, a `StepOutput`, and the event that records it (D10). */
import type { Json, RunError, StepOutput } from "@runledger/contracts";
import type { EventDraft } from "@runledger/core";
import type { AttemptRef } from "./in-flight.js";
import type { AttemptEnd } from "./step-context.js";
import { toRunError } from "../workflow/step-errors.js";

const STATUSES: readonly unknown[] = ["SUCCESS", "FAILED", "SKIPPED"] satisfies readonly StepOutput["status"][];

export function succeeded(output: unknown): StepOutput {
  return { status: "SUCCESS", output: (output ?? null) as Json, artifactRefs: [] };
}

/** A runner of a user returns a `StepOutput`, or only the output of a step that succeeded. */
export function toStepOutput(returned: unknown): StepOutput {
  return isStepOutput(returned) ? returned : succeeded(returned);
}

function isStepOutput(value: unknown): value is StepOutput {
  const { status, artifactRefs } = (value ?? {}) as { readonly status?: unknown; readonly artifactRefs?: unknown };
  return STATUSES.includes(status) && Array.isArray(artifactRefs);
}

export function failedOutput(thrown: unknown): StepOutput {
  return { status: "FAILED", artifactRefs: [], error: { category: "STEP_ERROR", ...toRunError(thrown) } };
}

/** Returns the error as events record it. */
export function runErrorOf({ error }: StepOutput): RunError {
  const { category = "STEP_ERROR", code = category, message = "The runner gave no reason.", retryable } = error ?? {};
  return toRunError({ code, message, retryable });
}

/** Returns the event of an attempt that did not fail. */
export function endDraft(
  { stepId, attempt }: AttemptRef,
  { status, output = null, artifactRefs, error }: StepOutput,
  { artifacts = [], patch, datasets }: AttemptEnd,
): EventDraft {
  if (status === "SKIPPED")
    return { eventType: "StepSkipped", stepId, attempt, data: { reason: error?.message ?? "RUNNER" } };
  const refs = [...artifactRefs, ...artifacts];
  const listed = refs.length === 0 ? {} : { artifacts: refs as unknown as Json };
  const used = datasets === undefined ? {} : { datasets: datasets as unknown as Json };
  return { eventType: "StepCompleted", stepId, attempt, data: { output, ...listed, ...(patch && { patch }), ...used } };
}
