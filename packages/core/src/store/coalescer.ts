/**
 * Combines many calls into few commits (P6).
 *  - Calls gather while earlier batches are in flight. An idle store gets them immediately.
 *  - Batches in flight never share a run, so the order of a run's calls is the order of its batches.
 *  - Calls of one run in a batch share a head update only if they have the same conditions.
 *  - A batch that fails as a whole is bisected, so that one bad call fails alone. A batch with an unknown outcome is
 *  not (P7).
 */
import {
  AppendWithdrawnError,
  RetryError,
  RunledgerError,
  StopError,
  type AbortSignalLike,
  type AppendResult,
} from "@runledger/contracts";
import type { AppendCall, RunAppend, RunOutcome } from "./append-call.js";
import { takeBatch, type BatchLimits } from "./batch.js";
import { resultsOf } from "./call-results.js";

/** Sends one batch and returns one outcome per part, in order. Throws if the batch fails as a whole. */
export type SendBatch = (parts: readonly RunAppend[]) => Promise<readonly RunOutcome[]>;

export interface CoalescerOptions extends BatchLimits {
  readonly send: SendBatch;
  readonly maxBatchesInFlight: number;
  /**
   * Fewer runs than this are not divided among several batches, because each batch would cost more than it saves.
   * Defaults to never dividing.
   */
  readonly worthABatch?: number;
  /**
   * Runs a function soon: after callers that just got their results had a chance to call again, so that they share the
   * next batch. A backend with a gathering window waits here.
   */
  readonly soon: (run: () => void) => void;
  /** Used instead of `soon` for a single caller that was alone before, too. Defaults to `soon`. */
  readonly alone?: (run: () => void) => void;
}

export interface Waiting {
  readonly call: AppendCall;
  readonly resolve: (results: readonly AppendResult[]) => void;
  readonly reject: (reason: unknown) => void;
}

export class Coalescer {
  readonly #options: CoalescerOptions;
  readonly #queue = new Set<Waiting>();
  readonly #runsInFlight = new Set<string>();
  #batchesInFlight = 0;
  #callsInFlight = 0;
  #flushScheduled = false;
  #lastBatch = 0;
  #conflicts = 0;
  #closed: Promise<void> | null = null;
  #onIdle: (() => void) | null = null;

  constructor(options: CoalescerOptions) {
    this.#options = options;
  }

  /** Number of events that were stored before with another payload (K5). */
  get conflicts(): number {
    return this.#conflicts;
  }

  append(call: AppendCall, signal?: AbortSignalLike): Promise<readonly AppendResult[]> {
    if (this.#closed !== null) return Promise.reject(closedError());
    if (signal?.aborted) return Promise.reject(new AppendWithdrawnError({ cause: signal.reason }));
    if (call.runs.length === 0) return Promise.resolve([]);
    return new Promise((resolve, reject) => this.#enqueue({ call, resolve, reject }, signal));
  }

  /** Refuses reads, like appends, after the store is closed. */
  readonly assertOpen = (): void => {
    if (this.#closed !== null) throw closedError();
  };

  /** Sends the queued calls, waits for every result, and refuses later calls. */
  close(): Promise<void> {
    this.#closed ??= new Promise((resolve) => (this.#onIdle = resolve));
    this.#settleIfIdle();
    return this.#closed;
  }

  #enqueue(waiting: Waiting, signal: AbortSignalLike | undefined): void {
    this.#queue.add(signal === undefined ? waiting : this.#withdrawable(waiting, signal));
    this.#scheduleFlush();
  }

  #withdrawable(waiting: Waiting, signal: AbortSignalLike): Waiting {
    const withdraw = (): void => {
      if (!this.#queue.delete(entry)) return; // already sent: it gets its result like any other call
      waiting.reject(new AppendWithdrawnError({ cause: signal.reason }));
    };
    const settled =
      <T>(settle: (value: T) => void) =>
      (value: T): void => {
        signal.removeEventListener("abort", withdraw);
        settle(value);
      };
    const entry = { call: waiting.call, resolve: settled(waiting.resolve), reject: settled(waiting.reject) };
    signal.addEventListener("abort", withdraw, { once: true });
    return entry;
  }

  #scheduleFlush(): void {
    if (this.#flushScheduled || this.#batchesInFlight >= this.#options.maxBatchesInFlight) return;
    this.#flushScheduled = true;
    const { soon, alone = soon } = this.#options;
    const send = this.#batchesInFlight === 0 && this.#lastBatch <= 1 ? alone : soon;
    send(() => {
      this.#flushScheduled = false;
      this.#flush();
    });
  }

  /** Divides waiting calls among the free batches, so that one batch is prepared while another is executed. */
  #flush(): void {
    const { maxBatchesInFlight, worthABatch = Infinity } = this.#options;
    while (this.#batchesInFlight < maxBatchesInFlight && !this.#shouldGather()) {
      const share = Math.ceil((this.#queue.size + this.#callsInFlight) / maxBatchesInFlight);
      const limits = { ...this.#options, maxRuns: Math.max(share, worthABatch) };
      const batch = takeBatch(this.#queue, this.#runsInFlight, limits);
      if (batch.length === 0) return this.#settleIfIdle();
      void this.#sendBatch(batch);
    }
  }

  /**
   * Next to two or more batches, calls gather until they are half as many as one of those carries. If they were sent as
   * they arrive, a few calls would return together, come back together, and never share a larger batch again.
   */
  #shouldGather(): boolean {
    return this.#batchesInFlight >= 2 && this.#queue.size * 2 * this.#batchesInFlight < this.#callsInFlight;
  }

  async #sendBatch(batch: readonly Waiting[]): Promise<void> {
    const runs = batch.flatMap(({ call }) => call.runs.map((run) => run.runId));
    this.#batchesInFlight++;
    this.#callsInFlight += batch.length;
    this.#lastBatch = batch.length;
    for (const runId of runs) this.#runsInFlight.add(runId);
    await this.#deliver(batch);
    for (const runId of runs) this.#runsInFlight.delete(runId);
    this.#batchesInFlight--;
    this.#callsInFlight -= batch.length;
    if (this.#queue.size > 0) this.#scheduleFlush();
    else this.#settleIfIdle();
  }

  async #deliver(batch: readonly Waiting[]): Promise<void> {
    try {
      const outcomes = await this.#options.send(batch.flatMap(({ call }) => call.runs));
      for (const outcome of outcomes) this.#conflicts += conflictsIn(outcome);
      answer(batch, outcomes);
    } catch (error) {
      if (batch.length === 1 || error instanceof RetryError) return batch.forEach(({ reject }) => reject(error));
      const half = batch.length >> 1;
      await this.#deliver(batch.slice(0, half)); // one after the other, because the halves may share runs
      await this.#deliver(batch.slice(half));
    }
  }

  #settleIfIdle(): void {
    if (this.#isIdle()) this.#onIdle?.();
  }

  #isIdle(): boolean {
    return this.#queue.size === 0 && this.#batchesInFlight === 0;
  }
}

function answer(batch: readonly Waiting[], outcomes: readonly RunOutcome[]): void {
  let next = 0;
  for (const { call, resolve, reject } of batch) {
    const own = outcomes.slice(next, (next += call.runs.length));
    try {
      resolve(resultsOf(call, own));
    } catch (refusal) {
      reject(refusal);
    }
  }
}

function conflictsIn(outcome: RunOutcome): number {
  return outcome instanceof RunledgerError ? 0 : outcome.filter(({ conflict }) => conflict === true).length;
}

function closedError(): StopError {
  return new StopError("STORE_CLOSED", "The store is closed. Open it again.");
}
