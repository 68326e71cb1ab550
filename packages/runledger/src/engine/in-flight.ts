import type { EventDraft } from "@runledger/core";
import type { Timers } from "./engine-parts.js";

/** Work that a driver has begun: by key, abortable, and bounded in time where its step is. */
export class InFlight {
  readonly #timers: Timers;
  readonly #settled: (drafts: readonly EventDraft[]) => void;
  readonly #failed: (error: unknown) => void;
  readonly #work = new Map<string, AbortController>();

  constructor(
    timers: Timers,
    on: { settled: (drafts: readonly EventDraft[]) => void; failed: (error: unknown) => void },
  ) {
    this.#timers = timers;
    this.#settled = on.settled;
    this.#failed = on.failed;
  }

  get size(): number {
    return this.#work.size;
  }

  has(key: string): boolean {
    return this.#work.has(key);
  }

  /** Begins unless it has begun. */
  begin(
    key: string,
    timeoutMs: number | undefined,
    work: (signal: AbortSignal) => Promise<readonly EventDraft[]>,
  ): void {
    if (this.#work.has(key)) return;
    const controller = new AbortController();
    this.#work.set(key, controller);
    const clear =
      timeoutMs === undefined ? () => {} : this.#timers.after(timeoutMs, () => controller.abort(timedOut(timeoutMs)));
    const ended = (then: () => void) => (): void => {
      clear();
      this.#work.delete(key);
      then();
    };
    work(controller.signal).then(
      (drafts) => ended(() => this.#settled(drafts))(),
      (error: unknown) => ended(() => this.#failed(error))(),
    );
  }

  abort(key: string, reason: Error): boolean {
    this.#work.get(key)?.abort(reason);
    return this.#work.has(key);
  }

  abortAll(reason: Error): void {
    for (const controller of this.#work.values()) controller.abort(reason);
  }
}

function timedOut(timeoutMs: number): Error {
  return Object.assign(new Error(`It took longer than ${timeoutMs} ms.`), { code: "TIMEOUT" });
}
