import { timeoutMessage, type EventDraft } from "@runledger/core";
import type { Timers } from "../time/timers.js";

/** Names one attempt of a step. */
export interface AttemptRef {
  readonly stepId: string;
  readonly attempt: number;
}

interface Work extends AttemptRef {
  readonly controller: AbortController;
}

export interface InFlightEvents {
  readonly settled: (drafts: readonly EventDraft[]) => void;
  readonly failed: (error: unknown) => void;
}

/** The work that a driver has started: once per attempt, abortable, and with a timeout if its step has one. */
export class InFlight {
  readonly #timers: Timers;
  readonly #on: InFlightEvents;
  readonly #work = new Map<string, Work>();

  constructor(timers: Timers, on: InFlightEvents) {
    this.#timers = timers;
    this.#on = on;
  }

  get size(): number {
    return this.#work.size;
  }

  /** Starts the work unless this attempt is already running. */
  start(
    { stepId, attempt }: AttemptRef,
    timeoutMs: number | undefined,
    run: (signal: AbortSignal) => Promise<readonly EventDraft[]>,
  ): void {
    const key = keyOf(stepId, attempt);
    if (this.#work.has(key)) return;
    const work = { stepId, attempt, controller: new AbortController() };
    this.#work.set(key, work);
    const cancelTimer = timeoutMs === undefined ? () => {} : this.#abortAfter(work, timeoutMs);
    const finish = (): boolean => {
      cancelTimer();
      return this.#work.get(key) === work && this.#work.delete(key); // the result of abandoned work is ignored
    };
    run(work.controller.signal).then(
      (drafts) => finish() && this.#on.settled(drafts),
      (error: unknown) => finish() && this.#on.failed(error),
    );
  }

  has({ stepId, attempt }: AttemptRef): boolean {
    return this.#work.has(keyOf(stepId, attempt));
  }

  /** Returns `false` if this attempt is not running here. */
  abort({ stepId, attempt }: AttemptRef, reason: Error): boolean {
    const work = this.#work.get(keyOf(stepId, attempt));
    work?.controller.abort(reason);
    return work !== undefined;
  }

  /** Aborts the selected work and ignores its result. */
  abandon(isSelected: (attempt: AttemptRef) => boolean, reason: string): void {
    for (const [key, work] of this.#work) {
      if (!isSelected(work)) continue;
      this.#work.delete(key);
      work.controller.abort(new Error(reason));
    }
  }

  #abortAfter({ controller }: Work, timeoutMs: number): () => void {
    const message = timeoutMessage(timeoutMs);
    return this.#timers.after(timeoutMs, () =>
      controller.abort(Object.assign(new Error(message), { code: "TIMEOUT" })),
    );
  }
}

function keyOf(stepId: string, attempt: number): string {
  return `${stepId}#${attempt}`;
}
