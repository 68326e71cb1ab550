import { CallPlan, type CallPoint } from "./call-plan.js";
import type { StoreCall } from "./intercept-store.js";

export interface Held {
  readonly before: Promise<void>;
  readonly after: Promise<void>;
}

const NOW = Promise.resolve();

/** A call of a worker that stands still at a point, so that somebody else can come first. */
export class HeldCall {
  readonly #plan: CallPlan;
  readonly #released: Promise<void>;
  #release: () => void = () => {};
  #reached = false;

  constructor(at: CallPoint) {
    this.#plan = new CallPlan(at);
    this.#released = new Promise((resolve) => (this.#release = resolve));
  }

  /** Whether a call stands there. */
  get reached(): boolean {
    return this.#reached;
  }

  /** It goes on. */
  release(): void {
    this.#release();
  }

  /** What a call has to wait for before it is made, and before it is answered. */
  at(call: StoreCall): Held {
    const when = this.#plan.meets(call);
    if (when !== null) this.#reached = true;
    return { before: when === "before" ? this.#released : NOW, after: when === "after" ? this.#released : NOW };
  }
}
