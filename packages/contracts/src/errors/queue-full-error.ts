import type { LimitTarget } from "../limits.js";
import { RetryError } from "./families.js";

/** Used if no run has started recently, so that there is no rate to estimate from. */
const UNKNOWN_MS = 60_000;
const SHORTEST_MS = 1_000;
const LONGEST_MS = 3_600_000;

/** The queue already holds as many runs as its limit allows. Nothing was written. */
export class QueueFullError extends RetryError {
  /** Estimated time until a place is free, at the current start rate. */
  readonly retryAfterMs: number;

  constructor(
    readonly target: LimitTarget,
    /** Recent start rate of the target. `null` if no run has started recently. */
    readonly startsPerSecond: number | null,
  ) {
    const retryAfterMs = placeFreeIn(startsPerSecond);
    super("QUEUE_FULL", `${nameOf(target)} is full. Nothing was written. Retry in ${retryAfterMs / 1000} s.`);
    this.retryAfterMs = retryAfterMs;
  }
}

/** Rounds to whole seconds, the unit of the Retry-After header. */
function placeFreeIn(startsPerSecond: number | null): number {
  if (startsPerSecond === null || startsPerSecond <= 0) return UNKNOWN_MS;
  return Math.min(LONGEST_MS, Math.max(SHORTEST_MS, Math.ceil(1 / startsPerSecond) * 1000));
}

function nameOf({ scope, subject }: LimitTarget): string {
  return scope === "overall" ? "The queue" : `The queue of ${scope} ${subject}`;
}
