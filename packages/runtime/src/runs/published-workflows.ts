/** Polls for workflows that were published over HTTP, and adds them to a worker. */
import type { FullStateStore, PublishedPlan } from "@runledger/contracts";
import { PollLoop } from "../time/poll-loop.js";
import type { Timers } from "../time/timers.js";
import type { CompiledWorkflow } from "../workflow/compiled-workflow.js";
import { fromNotes } from "../yaml/published-workflow.js";

const EVERY_MS = 2000;
const PAGE = 1000;

interface Receiver {
  readonly has: (plan: PublishedPlan) => boolean;
  readonly add: (workflow: CompiledWorkflow) => void;
  readonly onFault: (error: unknown) => void;
}

export class PublishedWorkflows {
  readonly #store: FullStateStore;
  readonly #receiver: Receiver;
  readonly #loop: PollLoop;
  /** Plans that could not be built. Each is reported once. */
  readonly #refused = new Set<string>();
  #isStopped = false;

  constructor(store: FullStateStore, timers: Timers, receiver: Receiver) {
    this.#store = store;
    this.#receiver = receiver;
    this.#loop = new PollLoop({
      timers,
      everyMs: EVERY_MS,
      round: () => this.#poll(),
      isDone: () => this.#isStopped,
      onFault: receiver.onFault,
    }).start();
  }

  /** Polls now instead of at the next interval. */
  pollNow(): void {
    this.#loop.notify();
  }

  stop(): void {
    this.#isStopped = true;
    this.#loop.notify();
  }

  async #poll(): Promise<void> {
    let after: PublishedPlan | undefined;
    do {
      const page = await this.#store.plans.listPlans({ withSource: true, limit: PAGE, ...(after && { after }) });
      for (const plan of page) if (!this.#isStopped && !this.#receiver.has(plan)) await this.#build(plan);
      after = page.length < PAGE ? undefined : page.at(-1);
    } while (after !== undefined);
  }

  async #build(ref: PublishedPlan): Promise<void> {
    if (this.#refused.has(ref.hash)) return;
    const [plan, notes] = await Promise.all([this.#store.plans.loadPlan(ref), this.#store.plans.loadNotes(ref)]);
    const made = plan === null ? null : await fromNotes(plan, notes).catch((error: unknown) => this.#report(error));
    if (made === null) this.#refused.add(ref.hash);
    else this.#receiver.add(made);
  }

  #report(error: unknown): null {
    this.#receiver.onFault(error);
    return null;
  }
}
