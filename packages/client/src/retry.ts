/** Retries requests that are safe to repeat. */
import { ProblemError } from "./problem-error.js";

export interface RetryOptions {
  /** How often a request is sent before its error is thrown. Default: 4. */
  readonly attempts?: number;
  /** The delay before the second attempt, in milliseconds. It doubles with each attempt. Default: 200. */
  readonly retryDelayMs?: number;
}

const MAX_DELAY_MS = 10_000;

export async function withRetry<T>(
  { attempts = 4, retryDelayMs = 200 }: RetryOptions,
  { isSafe = true, signal }: { readonly isSafe?: boolean; readonly signal?: AbortSignal | undefined },
  send: () => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    signal?.throwIfAborted(); // the signal may have interrupted the delay
    try {
      return await send();
    } catch (error) {
      const mayRetry = error instanceof ProblemError && error.family === "retry" && (isSafe || wasNotRun(error));
      if (!mayRetry || attempt >= attempts || signal?.aborted === true) throw error;
      await sleep(delayAfter(error, retryDelayMs * 2 ** (attempt - 1)), signal);
    }
  }
}

/** The server refused the request before it did anything. */
function wasNotRun({ code }: ProblemError): boolean {
  return code === "RATE_LIMITED";
}

/** Follows `Retry-After` if the server sent it. Otherwise adds jitter, so that clients that fail together do not retry together. */
function delayAfter(error: ProblemError, delayMs: number): number {
  const { retryAfterMs } = error;
  return Math.min(Number.isNaN(retryAfterMs) ? delayMs * (0.5 + Math.random() / 2) : retryAfterMs, MAX_DELAY_MS);
}

/** Returns a signal that aborts when one of the two does. */
export function anySignal(one: AbortSignal | undefined, other: AbortSignal | undefined): AbortSignal | undefined {
  return one === undefined || other === undefined ? (one ?? other) : AbortSignal.any([one, other]);
}

/** Resolves after `ms`, or early and without an error when the signal aborts. */
export async function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    const timer = setTimeout(done, ms);
    function done(): void {
      clearTimeout(timer);
      signal?.removeEventListener("abort", done);
      resolve();
    }
    signal?.addEventListener("abort", done);
    if (signal?.aborted === true) done();
  });
}
