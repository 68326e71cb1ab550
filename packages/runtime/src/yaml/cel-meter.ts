/**
 * Limits the work of expressions. Expressions run on the event loop of a worker, so an endless one would stop its heartbeats.
 * The meter counts evaluated nodes and produced data, not time: a result never depends on the load of the machine.
 */
import { ExpressionError } from "./expression-error.js";

/** The cost of all expressions of one setting. One unit is one evaluated node, or 16 characters. Takes well under a second. */
export const COST_LIMIT = 1_000_000;
/** Characters of a result. */
export const RESULT_LIMIT = 4_000_000;

export class Meter {
  #cost = 0;
  #result = 0;
  #error: ExpressionError | null = null;

  get cost(): number {
    return this.#cost;
  }

  /** Keeps throwing after the limit is reached, because `||` and `exists` continue after an error. */
  spend(cost: number): void {
    this.#cost += cost;
    if (this.#cost <= COST_LIMIT) return;
    throw (this.#error ??= new ExpressionError(
      `Expression exceeds the cost limit of ${COST_LIMIT}. Loop over less.`,
      0,
    ));
  }

  addToResult(characters: number): void {
    this.#result += characters;
    if (this.#result <= RESULT_LIMIT) return;
    throw new ExpressionError(`Expression returned more than ${RESULT_LIMIT} characters. Return less.`, 0);
  }
}

let current: Meter | null = null;

/** Calls `work` with a meter. Nested calls share the meter of the outermost call. */
export function withMeter<T>(work: (meter: Meter) => T): T {
  if (current !== null) return work(current);
  current = new Meter();
  try {
    return work(current);
  } finally {
    current = null;
  }
}

/** Returns the meter of the running evaluation. */
export function currentMeter(): Meter {
  if (current === null) throw new Error("Expressions are evaluated inside withMeter.");
  return current;
}
