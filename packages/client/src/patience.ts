/** What is safe to repeat is repeated. */
import { ProblemError } from "./problem-error.js";

export interface Patience {
  /** How often a request is sent in all before its error is thrown. Default 4. */
  readonly attempts?: number;
  /** The wait before the second attempt; it doubles. Default 200 ms. */
  readonly retryDelayMs?: number;
}

const MOST_DELAY_MS = 10_000;

export async function patiently<T>(
  { attempts = 4, retryDelayMs = 200 }: Patience,
  { isSafe = true, signal }: { readonly isSafe?: boolean; readonly signal?: AbortSignal | undefined },
  send: () => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    signal?.throwIfAborted(); // also after a pause that it has ended
    try {
      return await send();
    } catch (error) {
      const again = error instanceof ProblemError && error.family === "retry" && isSafe;
      if (!again || attempt >= attempts || signal?.aborted === true) throw error;
      await pause(delay(error, retryDelayMs * 2 ** (attempt - 1)), signal);
    }
  }
}

/** The server's word counts; else the delay, shortened by chance so that callers who fail together do not return together. */
function delay(error: ProblemError, delayMs: number): number {
  const said = error.retryAfterMs;
  return Math.min(Number.isNaN(said) ? delayMs * (0.5 + Math.random() / 2) : said, MOST_DELAY_MS);
}

/** Aborted when one of them is. */
export function either(one: AbortSignal | undefined, other: AbortSignal | undefined): AbortSignal | undefined {
  return one === undefined || other === undefined ? (one ?? other) : AbortSignal.any([one, other]);
}

/** Ends early, without an error, when the signal is aborted. */
export async function pause(ms: number, signal?: AbortSignal): Promise<void> {
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
