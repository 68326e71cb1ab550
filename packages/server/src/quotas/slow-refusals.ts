/**
 * Delays the refusals of a caller that keeps sending although it was refused. A refusal costs little, but thousands of
 * them per second take the processor from other callers. A client that waits as `Retry-After` says sees no delay.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { TokenBucket } from "./token-bucket.js";

/** Refusals per second that a caller gets without a delay. Ten times as many may come at once. */
const PROMPT_PER_SECOND = 5;
const MAX_DELAY_MS = 1000;
/** Delayed refusals at a time, and callers that are remembered. */
const MAX_HELD = 1000;

export class SlowRefusals {
  readonly #wait: (ms: number) => Promise<unknown>;
  /** The caller that was refused last comes last. */
  readonly #callers = new Map<string, TokenBucket>();
  #held = 0;

  constructor(wait: (ms: number) => Promise<unknown> = sleep) {
    this.#wait = wait;
  }

  /** Resolves when the refusal may be sent. */
  async hold(caller: string, now = performance.now()): Promise<void> {
    const bucket = this.#bucket(caller, now);
    const waitMs = bucket.waitMs(now);
    bucket.take(1, now);
    if (waitMs === 0 || this.#held >= MAX_HELD) return;
    this.#held++;
    await this.#wait(MAX_DELAY_MS).finally(() => this.#held--);
  }

  #bucket(caller: string, now: number): TokenBucket {
    const bucket = this.#callers.get(caller) ?? new TokenBucket(PROMPT_PER_SECOND, now);
    this.#callers.delete(caller);
    this.#callers.set(caller, bucket);
    if (this.#callers.size > MAX_HELD) this.#callers.delete(this.#callers.keys().next().value!);
    return bucket;
  }
}
