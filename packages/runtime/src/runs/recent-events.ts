/**
 * Keeps recently folded events, so that steps need not read them again: most steps read the output of the step before
 * (C4). Its size is limited, because a worker drives many runs; readers find other events in the log. Payloads are kept as
 * text, so that each reader gets its own copy, as it would from the log.
 */
import type { CanonicalEngineEvent, Json } from "@runledger/contracts";

/** Characters of payload that are kept per run. */
const MOST_KEPT = 64 * 1024;
/** Events that steps read: the run's input, outputs, and payloads of signals. */
const READ = new Set(["RunQueued", "StepCompleted", "SignalAccepted"]);

export class RecentEvents {
  readonly #events = new Map<string, { readonly event: CanonicalEngineEvent; readonly data: string }>();
  #size = 0;

  add(event: CanonicalEngineEvent): void {
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
