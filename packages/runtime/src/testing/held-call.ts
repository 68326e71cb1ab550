import { CallPlan, type CallPoint } from "./call-plan.js";
import type { StoreCall } from "./intercept-store.js";

export interface Held {
  readonly before: Promise<void>;
  readonly after: Promise<void>;
}

const NOW = Promise.resolve();

/** Suspends a worker's call at a point, so that a test can let another call go first. */
export class HeldCall {
  readonly #plan: CallPlan;
  readonly #released: Promise<void>;
  #release: () => void = () => {};
  #reached = false;

  constructor(at: CallPoint) {
    this.#plan = new CallPlan(at);
    this.#released = new Promise((resolve) => (this.#release = resolve));
  }

  /** `true` while a call is suspended. */
  get reached(): boolean {
    return this.#reached;
  }

  /** Lets the call continue. */
  release(): void {
    this.#release();
  }

  /** Promises that a call awaits before it is made and before its result is returned. */
  at(call: StoreCall): Held {
    const when = this.#plan.meets(call);
    if (when !== null) this.#reached = true;
    return { before: when === "before" ? this.#released : NOW, after: when === "after" ? this.#released : NOW };
  }
}
