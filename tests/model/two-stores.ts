import assert from "node:assert/strict";
import type { FeedCursor, FullStateStore } from "@runledger/contracts";
import { MemoryStore } from "@runledger/store-memory";
import type { Counter } from "./event-specs.js";
import { outcomeOf, type Outcome } from "./outcome.js";

/** A call that is made on both stores. */
type Call = (store: FullStateStore) => Promise<unknown>;

/** The store that is compared with the reference. */
export interface Target {
  /** Returns an empty store for the next sequence. */
  fresh(): Promise<FullStateStore>;
  /** Closes the store and opens its content again. */
  reopen(): Promise<FullStateStore>;
  close(): Promise<void>;
}

/** The reference in memory, and a store that must give the same answers. */
export class TwoStores implements Counter {
  static async open(target: Target): Promise<TwoStores> {
    return new TwoStores(target, await target.fresh());
  }

  readonly memory = new MemoryStore();
  /** Cursors are opaque: each store reads its own. */
  readonly cursors = new Map<string, { readonly memory: FeedCursor; readonly judged: FeedCursor }>();
  events = 0;
  readonly #target: Target;
  #judged: FullStateStore;

  private constructor(target: Target, judged: FullStateStore) {
    this.#target = target;
    this.#judged = judged;
  }

  get judged(): FullStateStore {
    return this.#judged;
  }

  /** Makes the call on both stores and compares the outcomes. */
  async compare(what: string, call: Call): Promise<void> {
    const [expected, actual] = await Promise.all([outcomeOf(call(this.memory)), outcomeOf(call(this.judged))]);
    assert.deepEqual(actual, expected, differs(what));
  }

  /** Makes several calls at once. On each store they share batches and are answered as if made one after the other. */
  async compareAtOnce(what: string, calls: readonly Call[]): Promise<void> {
    const at = (store: FullStateStore): Promise<Outcome[]> => Promise.all(calls.map((call) => outcomeOf(call(store))));
    const [expected, actual] = await Promise.all([at(this.memory), at(this.judged)]);
    assert.deepEqual(actual, expected, differs(what));
  }

  async reopen(): Promise<void> {
    this.#judged = await this.#target.reopen();
  }

  /** Compares the content of both stores at the end of a sequence. */
  async compareAll(): Promise<void> {
    const heads = await this.memory.listHeads({ archived: true });
    await this.compare("all heads", (store) => store.listHeads({ archived: true }));
    for (const { runId } of heads) {
      await this.compare(`log of ${runId}`, (store) => store.fetchEvents(runId));
      await this.compare(`checkpoint of ${runId}`, (store) => store.checkpoints.loadCheckpoint(runId));
      await this.compare(`snapshot of ${runId}`, (store) => store.getSnapshot(runId));
      await this.compare(`steps of ${runId}`, (store) => store.snapshots.listSteps({ runId }));
    }
  }
}

const differs = (what: string): string => `${what}: the store (actual) differs from the reference (expected)`;
