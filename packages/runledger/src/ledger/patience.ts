/**
 * A store that is away for a moment, as while it restarts or a connection breaks, is asked again: keys make that safe
 * (P7). Whoever would rather hear of it at once has none.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { RetryError } from "@runledger/contracts";

/** Between tries: the first, and the longest. */
const RETRY_MS = { first: 50, longest: 1000 };
const AWAY = new Set(["STORE_UNAVAILABLE", "OUTCOME_UNKNOWN"]);

export type Patience = <T>(action: () => Promise<T>) => Promise<T>;

export function patience(forMs: number): Patience {
  return async (action) => {
    const until = performance.now() + forMs;
    for (let wait = RETRY_MS.first; ; wait = Math.min(2 * wait, RETRY_MS.longest)) {
      try {
        return await action();
      } catch (error) {
        const isAway = error instanceof RetryError && AWAY.has(error.code);
        if (!isAway || performance.now() + wait > until) throw error;
        await sleep(wait);
      }
    }
  };
}
