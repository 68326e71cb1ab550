/** Limits of time. They use the monotonic clock, which also advances while this process is suspended. */
import { performance } from "node:perf_hooks";
import { RetryError, type AbortSignalLike } from "@runledger/contracts";

/** A server that does not answer within this time counts as unavailable. */
export const ANSWER_MS = 5000;

/** Returns a function that returns `true` when the time has passed, counted from `since`. */
export function deadline(ms: number, since = now()): () => boolean {
  return () => now() - since >= ms;
}

export const now = (): number => performance.now();

export async function inTime<T>(answer: Promise<T>, ms = ANSWER_MS): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer in ${ms / 1000} seconds`)), ms);
  });
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Throws the reason of the signal if it is aborted, now or while it waits. */
export async function pause(ms: number, signal: AbortSignalLike | undefined): Promise<void> {
  throwIfAborted(signal);
  await new Promise<void>((resolve) => {
    const finish = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", finish);
      resolve();
    };
    const timer = setTimeout(finish, ms);
    signal?.addEventListener("abort", finish);
  });
  throwIfAborted(signal);
}

export function throwIfAborted(signal: AbortSignalLike | undefined): void {
  if (signal?.aborted === true) throw signal.reason;
}

export function unavailable(server: string, cause: unknown): RetryError {
  const reason = cause instanceof Error ? cause.message || cause.name : String(cause);
  const message = `${server}, which keeps the shared locks, cannot be used: ${reason}. Check ${server}, then try again.`;
  return new RetryError("LOCK_UNAVAILABLE", message, { cause });
}

export function lost(name: string): RetryError {
  const message = `The lock ${name} has expired, and another process may hold it. Acquire it again.`;
  return new RetryError("LOCK_LOST", message);
}
