import type { EventDraft } from "@runledger/core";
import type { Timers } from "../time/timers.js";

/** One attempt of a step. */
export interface Attempt {
  readonly stepId: string;
  readonly attempt: number;
}

interface Work extends Attempt {
  readonly controller: AbortController;
}

export interface InFlightEvents {
  readonly settled: (drafts: readonly EventDraft[]) => void;
  readonly failed: (error: unknown) => void;
}

/** Work that a driver has begun: one per attempt, abortable, and bounded in time where its step is. */
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

  /** Begins unless it has begun. */
  begin(
    { stepId, attempt }: Attempt,
    timeoutMs: number | undefined,
    work: (signal: AbortSignal) => Promise<readonly EventDraft[]>,
  ): void {
    const key = keyOf(stepId, attempt);
    if (this.#work.has(key)) return;
    const begun = { stepId, attempt, controller: new AbortController() };
    this.#work.set(key, begun);
    const cancelTimer = timeoutMs === undefined ? () => {} : this.#abortAfter(begun, timeoutMs);
    const end = (): boolean => {
      cancelTimer();
      return this.#work.get(key) === begun && this.#work.delete(key); // else it was given up: nobody listens any more
    };
    work(begun.controller.signal).then(
      (drafts) => end() && this.#on.settled(drafts),
      (error: unknown) => end() && this.#on.failed(error),
    );
  }

  /** False = it is not under way here. */
  abort({ stepId, attempt }: Attempt, reason: Error): boolean {
    const work = this.#work.get(keyOf(stepId, attempt));
    work?.controller.abort(reason);
    return work !== undefined;
  }

  /** Aborts what is no longer wanted, and does not listen to what becomes of it. */
  giveUp(isUnwanted: (attempt: Attempt) => boolean, reason: string): void {
    for (const [key, work] of this.#work) {
      if (!isUnwanted(work)) continue;
      this.#work.delete(key);
      work.controller.abort(new Error(reason));
    }
  }

  #abortAfter({ controller }: Work, timeoutMs: number): () => void {
    const reason = (): Error => Object.assign(new Error(`It took longer than ${timeoutMs} ms.`), { code: "TIMEOUT" });
    return this.#timers.after(timeoutMs, () => controller.abort(reason()));
  }
}

function keyOf(stepId: string, attempt: number): string {
  return `${stepId}#${attempt}`;
}
