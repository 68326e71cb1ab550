/** Streams of run lists. Subscribers with the same filter share a broadcast, which polls the newest runs. */
import { RateLimitError, type RunFilter, type RunIndex } from "@runledger/contracts";
import { PollLoop } from "@runledger/runtime/time/poll-loop";
import { realTimers } from "@runledger/runtime/time/timers";
import type { ReadQueue } from "../quotas/read-queue.js";
import { ListBroadcast, type ListSubscription } from "./list-broadcast.js";
import type { SseConnection } from "./sse-connection.js";

export interface ListStreamOptions {
  /** Interval at which each subscribed list is polled. Defaults to 500 ms. */
  readonly listPollMs?: number;
  /** Called with errors of the polling loop, which continues. */
  readonly onError?: (error: unknown) => void;
}

/** Lists of one tenant that are polled per round. If a tenant has more, each of them is polled less often. */
const MAX_POLLED = 20;
/** Delay while there are no subscribers. The first subscriber notifies the loop. */
const IDLE_MS = 60_000;

export class ListStreams {
  readonly #lists: Pick<RunIndex, "listRuns">;
  readonly #options: Required<ListStreamOptions>;
  readonly #broadcasts = new Map<string, ListBroadcast>();
  readonly #readQueue: ReadQueue;
  /** Lists whose next poll waits in the queue. */
  readonly #queued = new Set<ListBroadcast>();
  readonly #loop: PollLoop;
  #closed = false;

  constructor(
    lists: Pick<RunIndex, "listRuns">,
    readQueue: ReadQueue,
    { listPollMs = 500, onError = () => {} }: ListStreamOptions = {},
  ) {
    this.#lists = lists;
    this.#readQueue = readQueue;
    this.#options = { listPollMs, onError };
    this.#loop = new PollLoop({
      timers: realTimers,
      everyMs: listPollMs,
      round: async () => this.#pollAll(),
      isDone: () => this.#closed,
      onFault: onError,
    });
  }

  subscribe(
    { filter, ...subscription }: ListSubscription & { readonly filter: RunFilter },
    connection: SseConnection,
  ): void {
    const isFirst = this.#broadcasts.size === 0;
    const key = JSON.stringify(Object.entries(filter).sort(([one], [other]) => (one < other ? -1 : 1)));
    const broadcast = this.#broadcasts.get(key) ?? new ListBroadcast(this.#lists, filter);
    this.#broadcasts.set(key, broadcast);
    const unsubscribe = broadcast.add(connection, subscription);
    connection.onClose(() => {
      unsubscribe();
      if (broadcast.size === 0 && this.#broadcasts.get(key) === broadcast) this.#broadcasts.delete(key);
    });
    if (isFirst) this.#loop.start().notify();
    else this.#pollSoon(broadcast);
  }

  /**
   * The lists of a tenant are read in turn, so that they leave the store's connections to other tenants. A list that
   * waits for its turn is not queued again.
   */
  #pollSoon(broadcast: ListBroadcast): void {
    if (this.#queued.has(broadcast)) return;
    this.#queued.add(broadcast);
    const poll = async (): Promise<void> => {
      this.#queued.delete(broadcast);
      if (broadcast.size > 0 && !this.#closed) await broadcast.poll(); // all subscribers may have left meanwhile
    };
    this.#readQueue.take(broadcast.tenantId, poll).catch((error: unknown) => {
      if (!(error instanceof RateLimitError)) return this.#options.onError(error);
      this.#queued.delete(broadcast); // it had no place in the queue: a later round polls the list
    });
  }

  /** Stops polling. */
  close(): void {
    this.#closed = true;
    this.#broadcasts.clear();
    this.#loop.notify();
  }

  /** Does not wait for the reads: those of one tenant would delay the lists of all others. */
  #pollAll(): number | void {
    if (this.#broadcasts.size === 0) return IDLE_MS;
    for (const broadcast of this.#nextLists()) this.#pollSoon(broadcast);
  }

  /** Those that were polled longest ago, a limited number per tenant. */
  #nextLists(): ListBroadcast[] {
    const perTenant = new Map<string, number>();
    const due = [...this.#broadcasts].filter(([, { tenantId }]) => {
      const count = (perTenant.get(tenantId) ?? 0) + 1;
      perTenant.set(tenantId, count);
      return count <= MAX_POLLED;
    });
    for (const [key, broadcast] of due) {
      this.#broadcasts.delete(key);
      this.#broadcasts.set(key, broadcast);
    }
    return due.map(([, broadcast]) => broadcast);
  }
}
