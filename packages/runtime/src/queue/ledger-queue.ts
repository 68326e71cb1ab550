/** Reads the queue and manages its limits. */
import {
  RunNotFoundError,
  type FullStateStore,
  type Limit,
  type LimitTarget,
  type QueueCount,
  type QueueEntry,
  type QueueFacts,
  type QueuePage,
} from "@runledger/contracts";
import { explain, isTerminal, type Explanation, type WaitReason } from "@runledger/core";
import { loadState } from "../runs/load-state.js";
import { readWaits } from "../runs/wait-reasons.js";

/** Explains why a run is not running. `ended` means that the run has left the queue. */
export type QueueAnswer = { readonly runId: string } & (
  { readonly where: "ended"; readonly status: string } | (Explanation & { readonly entry: QueueEntry })
);

export interface WhyOptions {
  /** Throws RUN_NOT_FOUND if the run belongs to another tenant. */
  readonly tenantId?: string;
  /** `true` counts only runs of the run's own tenant, and estimates nothing from the runs of others. */
  readonly hideOthers?: boolean;
}

/** The pace of all runs would show how busy other tenants are. */
function withoutOthers(facts: QueueFacts): QueueFacts {
  const ownScopes = ["tenant", "project", "concurrencyKey"];
  const limits = facts.limits.map((use) =>
    ownScopes.includes(use.target.scope) ? use : { ...use, startsPerSecond: null },
  );
  return { ...facts, ahead: facts.aheadOfOwn, startsPerSecond: null, limits };
}

export class LedgerQueue {
  readonly #store: FullStateStore;

  constructor(store: FullStateStore) {
    this.#store = store;
  }

  /**
   * Explains why a run is queued: the limit, its value and holders, the position and the expected start. Also reports a run
   * that is paused, delayed, without a worker, or waiting.
   */
  async why(runId: string, { tenantId, hideOthers = false }: WhyOptions = {}): Promise<QueueAnswer> {
    const [head] = await this.#store.fetchHeads([runId]);
    if (head === undefined || (tenantId !== undefined && head.tenantId !== tenantId)) throw new RunNotFoundError(runId);
    const state = await loadState(this.#store, runId);
    const facts = isTerminal(state.status) ? null : await this.#store.queue.inspectRun(runId);
    if (facts === null) return { runId, where: "ended", status: state.status };
    const answer = explain(hideOthers ? withoutOthers(facts) : facts, await readWaits(this.#store, state));
    const reasons = tenantId === undefined ? answer.reasons : await this.#within(tenantId, answer.reasons);
    return { runId, ...answer, reasons, entry: facts.entry };
  }

  /** Removes the holders of shared limits that belong to other tenants. */
  async #within(tenantId: string, reasons: readonly WaitReason[]): Promise<readonly WaitReason[]> {
    const holders = reasons.flatMap((reason) => (reason.kind === "limit" ? reason.holders : []));
    if (holders.length === 0) return reasons;
    const own = new Set((await this.#store.forTenant(tenantId).fetchHeads(holders)).map(({ runId }) => runId));
    return reasons.map((reason) =>
      reason.kind === "limit" ? { ...reason, holders: reason.holders.filter((runId) => own.has(runId)) } : reason,
    );
  }

  /** Lists open runs in the order of their ids. */
  list(page: QueuePage = {}): Promise<readonly QueueEntry[]> {
    return this.#store.queue.listQueue(page);
  }

  /** Counts queued, running and waiting runs per tenant. */
  counts(): Promise<readonly QueueCount[]> {
    return this.#store.queue.countQueue();
  }
}

/** An omitted limit means unlimited. */
export type LimitOptions = LimitTarget & Partial<Limit>;

export class LedgerLimits {
  readonly #store: FullStateStore;

  constructor(store: FullStateStore) {
    this.#store = store;
  }

  /** Replaces the limit. Values that are omitted become unlimited. */
  set(limit: LimitOptions): Promise<void> {
    return this.#store.limits.setLimit({ maxRunning: null, rate: null, maxQueued: null, priority: null, ...limit });
  }

  /** Resolves to `false` if the limit did not exist. */
  remove({ scope, subject }: LimitTarget): Promise<boolean> {
    return this.#store.limits.removeLimit({ scope, subject });
  }

  /** Lists all limits. */
  list(): Promise<readonly Limit[]> {
    return this.#store.limits.listLimits();
  }
}
