import { RunledgerError, type RunError } from "@runledger/contracts";
import { inspectRedacted } from "../telemetry/process-redactors.js";
import { cut } from "./cut.js";

/** Thrown by a step that must not be retried, regardless of its retry policy. */
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

/** Thrown by a runner. The retry policy applies, but not before `retryAfterMs` if a server requested a delay. */
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

/** Maximum length of a recorded message. The log may have the rest. */
const MAX_MESSAGE = 16 * 1024;
/** Maximum delay that a server can request. */
const MAX_RETRY_AFTER_MS = 86_400_000;

/** Converts anything that a step threw into the recorded error. */
export function toRunError(thrown: unknown): RunError {
  const { code, retryable } = (thrown ?? {}) as { code?: unknown; retryable?: unknown };
  const isOurs = thrown instanceof RunledgerError;
  return {
    code: typeof code === "string" || typeof code === "number" ? storable(String(code)) : "STEP_ERROR",
    message: storable(messageOf(thrown)),
    retryable: isOurs ? thrown.family === "retry" : retryable !== false,
  };
}

/** A thrown object without a message is shown as a whole: `{ status: 42 }`. */
export function messageOf(thrown: unknown): string {
  if (typeof thrown !== "object" || thrown === null) return String(thrown);
  const { message } = thrown as { message?: unknown };
  return typeof message === "string" ? message : inspectRedacted(thrown, { depth: 4 });
}

/** 0 if not given. */
export function retryAfterOf(thrown: unknown): number {
  const { retryAfterMs } = (thrown ?? {}) as { retryAfterMs?: unknown };
  const says = typeof retryAfterMs === "number" && retryAfterMs > 0;
  return says ? Math.min(retryAfterMs, MAX_RETRY_AFTER_MS) : 0;
}

/** Removes NUL and lone surrogates, which events cannot hold. */
export function storable(text: string): string {
  return Buffer.from(cut(text, MAX_MESSAGE).replaceAll("\0", "\u{fffd}")).toString();
}
