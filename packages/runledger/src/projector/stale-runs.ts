/** Runs that stand in front of a gap, or could not be saved: looked at again, now and then, until they go on. */
import type { Gap } from "./fold-tail.js";

interface Waiting {
  readonly gap: Gap | null;
  readonly since: number;
}

const EVERY_MS = 1000;

export class StaleRuns {
  readonly #waiting = new Map<string, Waiting>();
  #lookedAt = -Infinity;

  get size(): number {
    return this.#waiting.size;
  }

  /** True = it is news. */
  add(runId: string, gap: Gap | null, now: number): boolean {
    const known = this.#waiting.get(runId);
    if (known !== undefined && known.gap?.from === gap?.from) return false;
    this.#waiting.set(runId, { gap, since: now });
    return true;
  }

  remove(runId: string): void {
    this.#waiting.delete(runId);
  }

  /** Those to look at now; none, if that was just done. */
  due(now: number): string[] {
    if (now < this.#lookedAt + EVERY_MS) return [];
    this.#lookedAt = now;
    return [...this.#waiting.keys()];
  }

  /** Gaps that have been there for this long. */
  olderThan(ms: number, now: number): { readonly runId: string; readonly gap: Gap }[] {
    return [...this.#waiting].flatMap(([runId, { gap, since }]) =>
      gap !== null && now - since >= ms ? [{ runId, gap }] : [],
    );
  }
}
