import type { LimitTarget } from "../limits.js";
import { RetryError } from "./families.js";

/** While nothing begins there is nothing to reckon from. */
const UNKNOWN_MS = 60_000;
const SHORTEST_MS = 1_000;
const LONGEST_MS = 3_600_000;

/** O-21: as many runs wait as a limit lets wait. Nothing was written. */
export class QueueFullError extends RetryError {
  /** When a place should be free, as fast as the queue drains of late. */
  readonly retryAfterMs: number;

  constructor(
    readonly target: LimitTarget,
    /** Runs of the target that begin per second, as of late; null = none did. */
    readonly startsPerSecond: number | null,
  ) {
    const retryAfterMs = placeFreeIn(startsPerSecond);
    super("QUEUE_FULL", `${nameOf(target)} is full. Nothing was written; try again in ${retryAfterMs / 1000} s.`);
    this.retryAfterMs = retryAfterMs;
  }
}

/** Whole seconds, as a Retry-After says them. */
function placeFreeIn(startsPerSecond: number | null): number {
  if (startsPerSecond === null || startsPerSecond <= 0) return UNKNOWN_MS;
  return Math.min(LONGEST_MS, Math.max(SHORTEST_MS, Math.ceil(1 / startsPerSecond) * 1000));
}

function nameOf({ scope, subject }: LimitTarget): string {
  return scope === "overall" ? "The queue" : `The queue of ${scope} ${subject}`;
}
