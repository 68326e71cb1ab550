/** Hands a worker what was published over HTTP, and goes on doing so. */
import { RetryError, StopError, type FullStateStore, type PublishedPlan } from "@runledger/contracts";
import type { CompiledWorkflow } from "../workflow/compiled-workflow.js";
import { fromNotes } from "../workflow/published-workflow.js";
import { Bell, type Timers } from "../time/timers.js";

const EVERY_MS = 2000;
const PAGE = 1000;

interface Taker {
  readonly has: (plan: PublishedPlan) => boolean;
  readonly take: (workflow: CompiledWorkflow) => void;
  readonly onError: (error: unknown) => void;
}

export class PublishedWorkflows {
  readonly #store: FullStateStore;
  readonly #taker: Taker;
  readonly #bell: Bell;
  /** What cannot be built is told once. */
  readonly #refused = new Set<string>();
  #stopped = false;

  constructor(store: FullStateStore, timers: Timers, taker: Taker) {
    this.#store = store;
    this.#taker = taker;
    this.#bell = new Bell(timers);
    void this.#rounds();
  }

  /** There may be something new: look at once. */
  nudge(): void {
    this.#bell.ring();
  }

  stop(): void {
    this.#stopped = true;
    this.#bell.ring();
  }

  async #rounds(): Promise<void> {
    while (!this.#stopped) {
      await this.#look().catch((error: unknown) => {
        const isExpected = error instanceof RetryError || (error instanceof StopError && error.code === "STORE_CLOSED");
        if (!isExpected) this.#taker.onError(error);
      });
      if (!this.#stopped) await this.#bell.rest(EVERY_MS);
    }
  }

  async #look(): Promise<void> {
    let after: PublishedPlan | undefined;
    do {
      const page = await this.#store.plans.listPlans({ withSource: true, limit: PAGE, ...(after && { after }) });
      for (const plan of page) if (!this.#stopped && !this.#taker.has(plan)) await this.#take(plan);
      after = page.length < PAGE ? undefined : page.at(-1);
    } while (after !== undefined);
  }

  async #take(ref: PublishedPlan): Promise<void> {
    if (this.#refused.has(ref.hash)) return;
    const [plan, notes] = await Promise.all([this.#store.plans.loadPlan(ref), this.#store.plans.loadNotes(ref)]);
    const made = plan === null ? null : await fromNotes(plan, notes).catch((error: unknown) => this.#report(error));
    if (made === null) this.#refused.add(ref.hash);
    else this.#taker.take(made);
  }

  #report(error: unknown): null {
    this.#taker.onError(error);
    return null;
  }
}
