/** Runs that stopped before a gap or could not be saved. The projector retries them every second. */
import type { LogGap } from "@runledger/contracts";

interface Waiting {
  readonly gap: LogGap | null;
  readonly since: number;
}

const RETRY_MS = 1000;

export class StaleRuns {
  readonly #waiting = new Map<string, Waiting>();
  #retriedAt = -Infinity;

  get size(): number {
    return this.#waiting.size;
  }

  /** Returns `true` if the run or its gap is new. */
  add(runId: string, gap: LogGap | null, now: number): boolean {
    const known = this.#waiting.get(runId);
    if (known !== undefined && known.gap?.from === gap?.from) return false;
    this.#waiting.set(runId, { gap, since: now });
    return true;
  }

  remove(runId: string): void {
    this.#waiting.delete(runId);
  }

  /** The runs to retry now; empty if the last retry was less than a second ago. */
  due(now: number): string[] {
    if (now < this.#retriedAt + RETRY_MS) return [];
    this.#retriedAt = now;
    return [...this.#waiting.keys()];
  }

  /** Gaps that have existed for at least `ms`. */
  olderThan(ms: number, now: number): { readonly runId: string; readonly gap: LogGap }[] {
    return [...this.#waiting].flatMap(([runId, { gap, since }]) =>
      gap !== null && now - since >= ms ? [{ runId, gap }] : [],
    );
  }
}
