/**
 * A budget that refills with time. A call may proceed while something is left, and may overdraw: its cost, such as the
 * bytes of a response, is often known only afterwards.
 */
/** Seconds of refill that an unused bucket holds, so that short bursts pass. */
const BURST_SECONDS = 10;

export class TokenBucket {
  readonly #perSecond: number;
  readonly #capacity: number;
  #tokens: number;
  #at: number;

  constructor(perSecond: number, now: number) {
    this.#perSecond = perSecond;
    this.#capacity = perSecond * BURST_SECONDS;
    this.#tokens = this.#capacity;
    this.#at = now;
  }

  /** Milliseconds until something is left; 0 if something is left now. */
  waitMs(now: number): number {
    return this.msUntil(0, now);
  }

  /** Milliseconds until the bucket is half full. Work that can be slowed down leaves the other half to other calls. */
  paceMs(now: number): number {
    return this.msUntil(this.#capacity / 2, now);
  }

  /** The debt is limited, so that one huge cost does not lock its caller out for long. */
  take(cost: number, now: number): void {
    this.#refill(now);
    this.#tokens = Math.max(-this.#capacity, this.#tokens - cost);
  }

  msUntil(tokens: number, now: number): number {
    this.#refill(now);
    return this.#tokens > tokens ? 0 : Math.ceil(((tokens - this.#tokens) * 1000) / this.#perSecond) + 1;
  }

  #refill(now: number): void {
    this.#tokens = Math.min(this.#capacity, this.#tokens + ((now - this.#at) * this.#perSecond) / 1000);
    this.#at = now;
  }
}
