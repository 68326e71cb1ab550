/**
 * Streams of single runs. One loop polls the heads of all subscribed runs and reads the new events of each run once,
 * regardless of its number of subscribers. History is read per subscriber, in pages, until it has caught up.
 */
import type { FullStateStore, RunledgerError } from "@runledger/contracts";
import { PollLoop } from "@runledger/runtime/time/poll-loop";
import { realTimers } from "@runledger/runtime/time/timers";
import type { ReadQueue } from "../quotas/read-queue.js";
import { RunBroadcast, type BroadcastOptions, type RunSubscription } from "./run-broadcast.js";
import type { SseConnection } from "./sse-connection.js";

export interface RunStreamOptions {
  /** Interval at which heads are polled while runs have subscribers. Defaults to 50 ms. */
  readonly pollMs?: number;
  /** Called with errors of the polling loop, which continues. */
  readonly onError?: (error: unknown) => void;
  /** Describes an error to a subscriber. Defaults to its code and message. */
  readonly toProblem?: (error: RunledgerError) => object;
}

const AFTER_ERROR_MS = 1000;
/** Delay while there are no subscribers. The first subscriber notifies the loop. */
const IDLE_MS = 60_000;
const HEADS_PER_QUERY = 1000;

interface RunOfTenant {
  readonly runId: string;
  readonly tenantId: string;
}

export class RunStreams {
  readonly #store: FullStateStore;
  readonly #options: Required<RunStreamOptions>;
  readonly #broadcasts = new Map<string, RunBroadcast>();
  readonly #loop: PollLoop;
  readonly #readQueue: ReadQueue;
  #closed = false;

  constructor(store: FullStateStore, readQueue: ReadQueue, options: RunStreamOptions = {}) {
    this.#store = store;
    this.#readQueue = readQueue;
    this.#options = {
      pollMs: 50,
      onError: () => {},
      toProblem: ({ code, message }) => ({ code, detail: message }),
      ...options,
    };
    this.#loop = new PollLoop({
      timers: realTimers,
      everyMs: this.#options.pollMs,
      round: () => this.#poll(),
      isDone: () => this.#closed,
      onFault: this.#options.onError,
    });
  }

  /** Sends the events after `afterSeq`, then new ones as they are appended. */
  subscribe(params: RunSubscription & RunOfTenant, connection: SseConnection): void {
    const isFirst = this.#broadcasts.size === 0;
    const broadcast = this.#broadcast(params);
    broadcast.add(connection, params);
    connection.onClose(() => {
      broadcast.remove(connection);
      if (broadcast.size === 0 && this.#broadcasts.get(params.runId) === broadcast)
        this.#broadcasts.delete(params.runId);
    });
    if (isFirst) this.#loop.start().notify();
  }

  /** Stops polling. */
  close(): void {
    this.#closed = true;
    this.#broadcasts.clear();
    this.#loop.notify();
  }

  #broadcast({ runId, tenantId }: RunOfTenant): RunBroadcast {
    const existing = this.#broadcasts.get(runId);
    if (existing !== undefined) return existing;
    const queued: BroadcastOptions["queued"] = (read) => this.#readQueue.take(tenantId, read);
    const broadcast = new RunBroadcast(this.#store, runId, { ...this.#options, queued });
    this.#broadcasts.set(runId, broadcast);
    return broadcast;
  }

  async #poll(): Promise<number | void> {
    if (this.#broadcasts.size === 0) return IDLE_MS;
    try {
      await this.#readHeads();
    } catch (error) {
      if (!this.#closed) this.#options.onError(error);
      return AFTER_ERROR_MS;
    }
  }

  async #readHeads(): Promise<void> {
    const runIds = [...this.#broadcasts.keys()];
    for (let from = 0; from < runIds.length; from += HEADS_PER_QUERY) {
      const heads = await this.#store.fetchHeads(runIds.slice(from, from + HEADS_PER_QUERY));
      await Promise.all(heads.map(async ({ runId, headSeq }) => this.#broadcasts.get(runId)?.advance(headSeq)));
    }
  }
}
