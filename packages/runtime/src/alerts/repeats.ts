import type { RecordedAlert } from "@runledger/contracts";

/** Alerts of one code and tenant that pass within the window. */
const MOST_OF_A_KIND = 20;
/** Entries that are remembered at once. */
const MOST_ENTRIES = 5000;

interface Kind {
  readonly since: number;
  passed: number;
  held: number;
}

/**
 * Holds back alerts that repeat. The same alert passes once per window, and a bounded number of alerts of one code and tenant
 * pass per window.
 */
export class Repeats {
  readonly #windowMs: number;
  readonly #now: () => number;
  /** The time at which an alert passed last. */
  readonly #passedAt = new Map<string, number>();
  readonly #kinds = new Map<string, Kind>();

  constructor(windowMs: number, now: () => number) {
    this.#windowMs = windowMs;
    this.#now = now;
  }

  /** Returns how many alerts of the kind were held back since the last one that passed, or `null` if this one is held back. */
  pass({ code, tenantId = "", runId = "", message }: RecordedAlert): number | null {
    const now = this.#now();
    const kind = this.#kindOf(JSON.stringify([code, tenantId]), now);
    const key = JSON.stringify([code, tenantId, runId, message]);
    const isRepeated = now - (this.#passedAt.get(key) ?? -Infinity) < this.#windowMs;
    if (isRepeated || kind.passed >= MOST_OF_A_KIND) {
      kind.held++;
      return null;
    }
    keep(this.#passedAt, key, now);
    const { held } = kind;
    Object.assign(kind, { passed: kind.passed + 1, held: 0 });
    return held;
  }

  #kindOf(key: string, now: number): Kind {
    const known = this.#kinds.get(key);
    if (known !== undefined && now - known.since < this.#windowMs) return known;
    const kind = { since: now, passed: 0, held: known?.held ?? 0 };
    keep(this.#kinds, key, kind);
    return kind;
  }
}

/** Forgets the oldest entry if there are too many. */
function keep<V>(map: Map<string, V>, key: string, value: V): void {
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > MOST_ENTRIES && oldest !== undefined) map.delete(oldest);
}
