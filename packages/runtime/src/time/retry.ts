/**
 * Retries of store calls. A store is unavailable for a moment while it restarts or a connection breaks. Idempotency keys
 * make it safe to send the same call again (P7).
 */
import { RetryError, StopError } from "@runledger/contracts";
import { pause, realTimers, type Timers } from "./timers.js";

export interface RetryOptions {
  readonly timers: Timers;
  /** Delay before the first retry. Each further delay doubles, up to `maxDelayMs`. */
  readonly delayMs: number;
  readonly maxDelayMs: number;
  /** Whether to wait `delayMs` and try again. If not, the error is thrown. */
  readonly shouldRetry: (error: unknown, delayMs: number) => boolean;
}

export async function retry<T>(action: () => Promise<T>, options: RetryOptions): Promise<T> {
  const { timers, maxDelayMs, shouldRetry } = options;
  for (let delayMs = options.delayMs; ; delayMs = Math.min(2 * delayMs, maxDelayMs)) {
    try {
      return await action();
    } catch (error) {
      if (!shouldRetry(error, delayMs)) throw error;
      await pause(timers, delayMs);
    }
  }
}

/** Retries while the store is unavailable, until `signal` is aborted. */
export function retryUntilAborted<T>(timers: Timers, signal: AbortSignal, action: () => Promise<T>): Promise<T> {
  const shouldRetry = (error: unknown): boolean => error instanceof RetryError && !signal.aborted;
  return retry(action, { timers, delayMs: 100, maxDelayMs: 100, shouldRetry });
}

export type Retry = <T>(action: () => Promise<T>) => Promise<T>;

const UNAVAILABLE = new Set(["STORE_UNAVAILABLE", "OUTCOME_UNKNOWN"]);

/** Returns a function that retries while the store is unavailable, for at most `ms` per call. */
export function retryFor(ms: number): Retry {
  return (action) => {
    const deadline = performance.now() + ms;
    return retry(action, {
      timers: realTimers,
      delayMs: 50,
      maxDelayMs: 1000,
      shouldRetry: (error, delayMs) =>
        error instanceof RetryError && UNAVAILABLE.has(error.code) && performance.now() + delayMs <= deadline,
    });
  };
}

/** Returns `true` if the store is unavailable for a moment or was closed: expected in a loop that tries again later. */
export function isUnavailable(error: unknown): boolean {
  return error instanceof RetryError || (error instanceof StopError && error.code === "STORE_CLOSED");
}

/** Returns `undefined` if the action fails. Reports the error unless the store is only unavailable. */
export async function tryOnce<T>(action: () => Promise<T>, onFault: (error: unknown) => void): Promise<T | undefined> {
  try {
    return await action();
  } catch (error) {
    if (!isUnavailable(error)) onFault(error);
    return undefined;
  }
}
