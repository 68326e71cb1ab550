/** What can be asked of the queue, and said about its limits. */
import {
  RunNotFoundError,
  type FullStateStore,
  type Limit,
  type LimitTarget,
  type QueueCount,
  type QueueEntry,
  type QueuePage,
} from "@runledger/contracts";
import { explain, isTerminal, type Explanation, type WaitReason } from "@runledger/core";
import { loadState } from "../ledger/load-state.js";
import { standingOf } from "./log-standing.js";

/** Why a run does not run, or that it does; `ended` = it is not in the queue any more. */
export type QueueAnswer = { readonly runId: string } & (
  { readonly where: "ended"; readonly status: string } | (Explanation & { readonly entry: QueueEntry })
);

export class LedgerQueue {
  readonly #store: FullStateStore;

  constructor(store: FullStateStore) {
    this.#store = store;
  }

  /**
   * Why is this run queued? The limit, its value, who holds it, the position and the expected start; that it is paused,
   * delayed, without a worker, or what it waits for.
   */
  async why(runId: string, { tenantId }: { readonly tenantId?: string } = {}): Promise<QueueAnswer> {
    const [head] = await this.#store.fetchHeads([runId]);
    if (head === undefined || (tenantId !== undefined && head.tenantId !== tenantId)) throw new RunNotFoundError(runId);
    const state = await loadState(this.#store, runId);
    const facts = isTerminal(state.status) ? null : await this.#store.queue.inspectRun(runId);
    if (facts === null) return { runId, where: "ended", status: state.status };
    const answer = explain(facts, await standingOf(this.#store, state));
    const reasons = tenantId === undefined ? answer.reasons : await this.#within(tenantId, answer.reasons);
    return { runId, ...answer, reasons, entry: facts.entry };
  }

  /** Who holds a limit that tenants share is told of one's own runs only. */
  async #within(tenantId: string, reasons: readonly WaitReason[]): Promise<readonly WaitReason[]> {
    const holders = reasons.flatMap((reason) => (reason.kind === "limit" ? reason.holders : []));
    if (holders.length === 0) return reasons;
    const own = new Set((await this.#store.forTenant(tenantId).fetchHeads(holders)).map(({ runId }) => runId));
    return reasons.map((reason) =>
      reason.kind === "limit" ? { ...reason, holders: reason.holders.filter((runId) => own.has(runId)) } : reason,
    );
  }

  /** Runs that have not ended, by id. */
  list(page: QueuePage = {}): Promise<readonly QueueEntry[]> {
    return this.#store.queue.listQueue(page);
  }

  /** How many each tenant has queued, running and waiting. */
  counts(): Promise<readonly QueueCount[]> {
    return this.#store.queue.countQueue();
  }
}

/** Whatever is left out is not limited. */
export type LimitOptions = LimitTarget & Partial<Limit>;

export class LedgerLimits {
  readonly #store: FullStateStore;

  constructor(store: FullStateStore) {
    this.#store = store;
  }

  /** Sets all of a limit; what it does not name is not limited any more. */
  set(limit: LimitOptions): Promise<void> {
    return this.#store.limits.setLimit({ maxRunning: null, rate: null, maxQueued: null, priority: null, ...limit });
  }

  /** False = there was none. */
  remove({ scope, subject }: LimitTarget): Promise<boolean> {
    return this.#store.limits.removeLimit({ scope, subject });
  }

  list(): Promise<readonly Limit[]> {
    return this.#store.limits.listLimits();
  }
}
