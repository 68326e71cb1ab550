import type { RunError } from "@runledger/contracts";

/** Thrown by a step that must not be tried again, whatever its retry policy says. */
export class FatalStepError extends Error {
  readonly retryable = false;
  constructor(
    readonly code: string,
    message: string,
  ) {
    super(message);
    this.name = "FatalStepError";
  }
}

/** What is recorded of whatever a step threw. */
export function toRunError(thrown: unknown): RunError {
  if (!(thrown instanceof Error)) return { code: "STEP_ERROR", message: String(thrown), retryable: true };
  const { code, retryable } = thrown as { code?: unknown; retryable?: unknown };
  return {
    code: typeof code === "string" ? code : "STEP_ERROR",
    message: thrown.message,
    retryable: retryable !== false,
  };
}
