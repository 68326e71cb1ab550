/**
 * What was just folded need not be read again: a step's input is mostly what the step before it gave back (C4). Bounded,
 * because a worker drives many runs; what is not here is in the log.
 */
import type { CanonicalEngineEvent } from "@runledger/contracts";

/** Characters of payload that are kept per run. */
const MOST_KEPT = 64 * 1024;
/** Events that steps read: the run's input, outputs, and payloads of signals. */
const READ = new Set(["RunQueued", "StepCompleted", "SignalAccepted"]);

export class Recall {
  readonly #events = new Map<string, { readonly event: CanonicalEngineEvent; readonly size: number }>();
  #size = 0;

  note(event: CanonicalEngineEvent): void {
    if (!READ.has(event.eventType) || this.#events.has(event.idempotencyKey)) return;
    const size = JSON.stringify(event.eventData).length;
    this.#events.set(event.idempotencyKey, { event, size });
    this.#size += size;
    for (const [key, oldest] of this.#events) {
      if (this.#size <= MOST_KEPT) return;
      this.#events.delete(key);
      this.#size -= oldest.size;
    }
  }

  get(key: string): CanonicalEngineEvent | undefined {
    return this.#events.get(key)?.event;
  }
}
