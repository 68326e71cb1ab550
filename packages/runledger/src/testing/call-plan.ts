import type { StoreCall } from "./intercept-store.js";

/** A call of the store by a worker: the moment before it is made, or after it was and before it is answered. */
export interface CallPoint {
  /** Default: after. */
  readonly when?: "before" | "after";
  /** `appendEvents`, `queue.parkRun`, … Default: appendEvents. */
  readonly call?: string;
  /** The how-manieth of these calls from now on. Default 1. */
  readonly nth?: number;
  /** Only calls of which this is true are counted. */
  readonly where?: (call: StoreCall) => boolean;
}

/** A point, and how far away it is. */
export class CallPlan {
  readonly #point: Required<CallPoint>;
  #left: number;

  constructor({ when = "after", call = "appendEvents", nth = 1, where = () => true }: CallPoint) {
    this.#point = { when, call, nth, where };
    this.#left = nth;
  }

  /** Null = this call is not it. Counts the call. */
  meets(call: StoreCall): "before" | "after" | null {
    if (call.name !== this.#point.call || !this.#point.where(call)) return null;
    this.#left--;
    return this.#left === 0 ? this.#point.when : null;
  }
}
