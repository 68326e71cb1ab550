/**
 * The store's clock (O1). DynamoDB has no clock that a condition could read, but each response carries the server's time in
 * whole seconds. This bounds the difference between the server's clock and the local one. A local clock within the bounds is
 * used as it is; any other is moved to the nearest bound.
 */
import type { OnDate } from "./driver.js";

/** Clocks drift apart by less than this, so bounds widen with time. */
const DRIFT = 0.0005;

export class StoreClock {
  #low = -Infinity;
  #high = Infinity;
  #measuredAt = 0;

  now(): number {
    const local = Date.now();
    return Math.floor(local + Math.min(Math.max(0, this.#low), this.#high));
  }

  /** `serverDate` is rounded down to a second. */
  readonly observe: OnDate = (sentAt, receivedAt, serverDate) => {
    const [low, high] = [serverDate - receivedAt, serverDate + 1000 - sentAt];
    const drift = Math.abs(receivedAt - this.#measuredAt) * DRIFT;
    const [lowest, highest] = [Math.max(low, this.#low - drift), Math.min(high, this.#high + drift)];
    const isPossible = lowest <= highest; // otherwise one of the clocks was set
    this.#low = isPossible ? lowest : low;
    this.#high = isPossible ? highest : high;
    this.#measuredAt = receivedAt;
  };
}

export function iso(ms: number): string {
  return new Date(ms).toISOString();
}
