/**
 * Free capacity under limits. A run takes a place under every limit that counts it, or under none. A started run already
 * holds its concurrency key and does not count toward a rate again.
 */
import { EVERY, targetsOf, type Counted, type Limit, type LimitTarget } from "@runledger/contracts";

export interface Usage {
  /** Number of running runs. For a concurrency key: number of runs that hold it. */
  running(target: LimitTarget): number;
  /** Number of runs that started within the last `ms`. */
  startedWithin(target: LimitTarget, ms: number): number;
}

/** Returns the subject's own limit, or else the limit for every subject. */
export function limitFor(limits: readonly Limit[], { scope, subject }: LimitTarget): Limit | undefined {
  const of = (wanted: string) => limits.find((limit) => limit.scope === scope && limit.subject === wanted);
  return of(subject) ?? of(EVERY);
}

/** A concurrency key without a limit allows one run at a time. Returns `null` if the target is not a key. */
export function keyLimit(target: LimitTarget): Limit | null {
  if (target.scope !== "concurrencyKey") return null;
  return { ...target, maxRunning: 1, rate: null, maxQueued: null, priority: null };
}

interface FreePlaces {
  run: number;
  start: number;
}

/** Tracks capacity within one claim: the measured capacity, minus what was taken since. */
export class Capacity {
  readonly #limits: readonly Limit[];
  readonly #usage: Usage;
  readonly #free = new Map<string, FreePlaces>();

  constructor(limits: readonly Limit[], usage: Usage) {
    this.#limits = limits;
    this.#usage = usage;
  }

  /** Takes a place for the run under all its limits. Returns `false`, and takes none, if one of them is full. */
  admit(run: Counted, isStart: boolean): boolean {
    const targets = targetsOf(run).filter(({ scope }) => isStart || scope !== "concurrencyKey");
    const free = targets.map((target) => this.#placesOf(target));
    if (free.some(({ run: toRun, start }) => (isStart ? start : toRun) <= 0)) return false;
    for (const places of free) {
      places.run--;
      places.start = isStart ? places.start - 1 : Math.min(places.start, places.run);
    }
    return true;
  }

  #placesOf(target: LimitTarget): FreePlaces {
    const name = `${target.scope}|${target.subject}`;
    const known = this.#free.get(name) ?? this.#measure(target);
    this.#free.set(name, known);
    return known;
  }

  #measure(target: LimitTarget): FreePlaces {
    const { maxRunning = null, rate = null } = limitFor(this.#limits, target) ?? keyLimit(target) ?? {};
    const run = maxRunning === null ? Infinity : maxRunning - this.#usage.running(target);
    if (rate === null) return { run, start: run };
    return { run, start: Math.min(run, rate.starts - this.#usage.startedWithin(target, rate.perMs)) };
  }
}
