import { RunledgerError, type RunError } from "@runledger/contracts";

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

/** What a runner throws: the policy decides, but not before whoever refused said so. */
export class StepError extends Error {
  readonly retryable: boolean;
  readonly retryAfterMs: number;
  constructor(
    readonly code: string,
    message: string,
    { retryable = true, retryAfterMs = 0 }: { readonly retryable?: boolean; readonly retryAfterMs?: number } = {},
  ) {
    super(message);
    this.name = "StepError";
    this.retryable = retryable;
    this.retryAfterMs = retryAfterMs;
  }
}

/** Most characters of a message that are recorded: the rest is in the log, where there is one. */
const MAX_MESSAGE = 16 * 1024;
/** Nobody is asked to wait longer. */
const MAX_RETRY_AFTER_MS = 86_400_000;

/** What is recorded of whatever a step threw. */
export function toRunError(thrown: unknown): RunError {
  if (!(thrown instanceof Error)) return { code: "STEP_ERROR", message: storable(String(thrown)), retryable: true };
  const { code, retryable } = thrown as { code?: unknown; retryable?: unknown };
  const isOurs = thrown instanceof RunledgerError;
  return {
    code: typeof code === "string" ? storable(code) : "STEP_ERROR",
    message: storable(thrown.message),
    retryable: isOurs ? thrown.family === "retry" : retryable !== false,
  };
}

/** 0 = it does not say. */
export function retryAfterOf(thrown: unknown): number {
  const { retryAfterMs } = (thrown ?? {}) as { retryAfterMs?: unknown };
  const says = typeof retryAfterMs === "number" && retryAfterMs > 0;
  return says ? Math.min(retryAfterMs, MAX_RETRY_AFTER_MS) : 0;
}

/** A program may print anything; an event takes neither NUL nor half a character. */
function storable(text: string): string {
  const short = text.length > MAX_MESSAGE ? `${text.slice(0, MAX_MESSAGE)} …` : text;
  return Buffer.from(short.replaceAll("\0", "\u{fffd}")).toString();
}
