/**
 * How much room limits leave.
 *  O-21  A run takes a place under every limit it is counted in, or none at all. One that has begun has its concurrency
 *        key already, and no rate counts it again.
 */
import { EVERY, targetsOf, type Counted, type Limit, type LimitTarget } from "@runledger/contracts";

export interface Usage {
  /** Runs that run; of a concurrency key: that have it. */
  running(target: LimitTarget): number;
  /** Runs that have begun within the last `ms`. */
  begunWithin(target: LimitTarget, ms: number): number;
}

/** One that is meant for every subject gives way to the subject's own. */
export function limitFor(limits: readonly Limit[], { scope, subject }: LimitTarget): Limit | undefined {
  const of = (wanted: string) => limits.find((limit) => limit.scope === scope && limit.subject === wanted);
  return of(subject) ?? of(EVERY);
}

/** A concurrency key of which nothing is said lets one run at a time; null = it is no key. */
export function keyLimit(target: LimitTarget): Limit | null {
  if (target.scope !== "concurrencyKey") return null;
  return { ...target, maxRunning: 1, rate: null, maxQueued: null, priority: null };
}

interface Room {
  run: number;
  begin: number;
}

/** Rooms as they were, less what was taken since. */
export class Rooms {
  readonly #limits: readonly Limit[];
  readonly #usage: Usage;
  readonly #rooms = new Map<string, Room>();

  constructor(limits: readonly Limit[], usage: Usage) {
    this.#limits = limits;
    this.#usage = usage;
  }

  /** Takes a place for the run; false = somewhere there is none, and none was taken. */
  admit(run: Counted, begins: boolean): boolean {
    const targets = targetsOf(run).filter(({ scope }) => begins || scope !== "concurrencyKey");
    const rooms = targets.map((target) => this.#roomOf(target));
    if (rooms.some(({ run: toRun, begin }) => (begins ? begin : toRun) <= 0)) return false;
    for (const room of rooms) {
      room.run--;
      room.begin = begins ? room.begin - 1 : Math.min(room.begin, room.run);
    }
    return true;
  }

  #roomOf(target: LimitTarget): Room {
    const name = `${target.scope}|${target.subject}`;
    const known = this.#rooms.get(name) ?? this.#measure(target);
    this.#rooms.set(name, known);
    return known;
  }

  #measure(target: LimitTarget): Room {
    const { maxRunning = null, rate = null } = limitFor(this.#limits, target) ?? keyLimit(target) ?? {};
    const run = maxRunning === null ? Infinity : maxRunning - this.#usage.running(target);
    if (rate === null) return { run, begin: run };
    return { run, begin: Math.min(run, rate.starts - this.#usage.begunWithin(target, rate.perMs)) };
  }
}
