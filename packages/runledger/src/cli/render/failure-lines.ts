/** The errors of failed steps, with stack and causes. */
import type { ErrorCause, StepFailedData } from "@runledger/contracts";
import type { RunState } from "@runledger/core";
import { paint } from "./terminal.js";
import type { FailedAttempt } from "./tree-view.js";

const MAX_FAILURES = 10;

/** Lists steps that are failed now, except containers that another step made fail. */
export function failureLines(state: RunState, failed: ReadonlyMap<string, FailedAttempt>): string[] {
  const own = [...failed].filter(
    ([stepId, { failure }]) => failure.culprit === undefined && state.steps.get(stepId)?.status === "FAILED",
  );
  const shown = own
    .slice(0, MAX_FAILURES)
    .flatMap(([stepId, { attempt, failure }]) => [
      "",
      `${paint("bold", stepId)}   ${paint("dim", `attempt ${attempt}`)}`,
      ...linesOf(failure),
    ]);
  const rest = own.length - MAX_FAILURES;
  return rest > 0 ? [...shown, "", paint("dim", `… ${rest} more failed steps`)] : shown;
}

function linesOf({ error, stack, cause }: StepFailedData): string[] {
  return [...`${paint("red", error.code)} ${error.message}`.split("\n"), ...stackLines(stack), ...causeLines(cause)];
}

function causeLines(cause: ErrorCause | undefined): string[] {
  if (cause === undefined) return [];
  const head = [paint("dim", "caused by"), cause.code, cause.message].filter((part) => part !== undefined).join(" ");
  return [...head.split("\n"), ...stackLines(cause.stack), ...causeLines(cause.cause)];
}

function stackLines(stack: string | undefined): string[] {
  return stack === undefined ? [] : stack.split("\n").map((frame) => paint("dim", `    ${frame}`));
}
