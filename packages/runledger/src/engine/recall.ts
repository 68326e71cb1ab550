/**
 * What was just folded need not be read again: a step's input is mostly what the step before it gave back (C4). Bounded,
 * because a worker drives many runs; what is not here is in the log. Kept as text: whoever reads it gets a copy of what is
 * on record, as from the log, whatever others do with theirs.
 */
import type { CanonicalEngineEvent, Json } from "@runledger/contracts";

/** Characters of payload that are kept per run. */
const MOST_KEPT = 64 * 1024;
/** Events that steps read: the run's input, outputs, and payloads of signals. */
const READ = new Set(["RunQueued", "StepCompleted", "SignalAccepted"]);

export class Recall {
  readonly #events = new Map<string, { readonly event: CanonicalEngineEvent; readonly data: string }>();
  #size = 0;

  note(event: CanonicalEngineEvent): void {
    if (!READ.has(event.eventType) || this.#events.has(event.idempotencyKey)) return;
    const data = JSON.stringify(event.eventData);
    this.#events.set(event.idempotencyKey, { event, data });
    this.#size += data.length;
    for (const [key, oldest] of this.#events) {
      if (this.#size <= MOST_KEPT) return;
      this.#events.delete(key);
      this.#size -= oldest.data.length;
    }
  }

  get(key: string): CanonicalEngineEvent | undefined {
    const known = this.#events.get(key);
    return known && { ...known.event, eventData: JSON.parse(known.data) as Json };
  }
}
