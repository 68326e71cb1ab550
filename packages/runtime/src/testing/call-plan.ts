import type { StoreCall } from "./intercept-store.js";

/** A point in a worker's store call: before the call is made, or after it is made and before the worker sees the result. */
export interface CallPoint {
  /** Default: after. */
  readonly when?: "before" | "after";
  /** `appendEvents`, `queue.parkRun`, … Default: appendEvents. */
  readonly call?: string;
  /** Counts matching calls from now on; 1 is the next one. Default 1. */
  readonly nth?: number;
  /** Counts only calls for which this returns `true`. */
  readonly where?: (call: StoreCall) => boolean;
}

/** A call point and the number of matching calls left until it. */
export class CallPlan {
  readonly #point: Required<CallPoint>;
  #left: number;

  constructor({ when = "after", call = "appendEvents", nth = 1, where = () => true }: CallPoint) {
    this.#point = { when, call, nth, where };
    this.#left = nth;
  }

  /** Counts the call. Returns `null` if the plan does not apply to it. */
  meets(call: StoreCall): "before" | "after" | null {
    if (call.name !== this.#point.call || !this.#point.where(call)) return null;
    this.#left--;
    return this.#left === 0 ? this.#point.when : null;
  }
}
