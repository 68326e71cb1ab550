/** Handles the events of triggers: starts their runs, counts them, and records those that are rejected. */
import type { FullStateStore, Trigger, TriggerName } from "@runledger/contracts";
import type { Counter } from "@opentelemetry/api";
import { messageOf } from "../outbox/outcomes.js";
import { rejectedAlert, type TriggerAlert } from "./alerts.js";
import { compileMapping, type TriggerMapping } from "./mapping.js";
import { readEvent, type ReceivedMessage } from "./received-event.js";
import { startForEvent, type EventOutcome, type StartParts } from "./start-for-event.js";
import { TriggerReports } from "./trigger-reports.js";

export interface EventHandlerParts extends StartParts {
  readonly alert: (alert: TriggerAlert) => void;
  readonly fault: (error: unknown) => void;
  /** Counts events by outcome. */
  readonly events?: Counter;
}

const MAX_MAPPINGS = 500;
const MAX_ALERTED = 10_000;

export class EventHandler {
  readonly store: FullStateStore;
  readonly #parts: EventHandlerParts;
  readonly #reports: TriggerReports;
  /** By trigger and version. */
  readonly #mappings = new Map<string, TriggerMapping>();
  /** Rejected events that this process has reported. A sender repeats them. */
  readonly #alerted = new Set<string>();

  constructor(parts: EventHandlerParts) {
    this.store = parts.store;
    this.#parts = parts;
    this.#reports = new TriggerReports(parts.store, parts.fault);
  }

  /** Resolves once the run is stored. Throws if the event cannot start one; nothing is recorded then. */
  async start(trigger: Trigger, message: ReceivedMessage): Promise<EventOutcome> {
    const read = readEvent(message);
    const mapped = this.#mappingOf(trigger).map(read);
    const outcome: EventOutcome =
      mapped === null ? { outcome: "skipped" } : await startForEvent(this.#parts, trigger, read.event.id, mapped);
    this.#reports.add(trigger, outcome);
    this.#parts.events?.add(1, { outcome: outcome.outcome });
    return outcome;
  }

  /** Records an event that starts no run. Resolves once that is stored. */
  async reject(trigger: Trigger, received: ReceivedMessage, error: unknown): Promise<void> {
    const { position } = received;
    const rejection = { eventId: idOf(received), position, message: messageOf(error) };
    await this.store.triggers.reportEvents(trigger, { rejected: 1, rejections: [rejection] });
    this.#parts.events?.add(1, { outcome: "rejected" });
    const key = JSON.stringify([trigger.tenantId, trigger.triggerId, rejection.eventId ?? position]);
    if (this.#alerted.has(key)) return;
    if (this.#alerted.size >= MAX_ALERTED) this.#alerted.clear();
    this.#alerted.add(key);
    this.#parts.alert(rejectedAlert(trigger, rejection));
  }

  /** Resolves once all counters are saved. */
  settled(): Promise<void> {
    return this.#reports.settled();
  }

  #mappingOf({ tenantId, triggerId, version, createdAt, definition }: Trigger & TriggerName): TriggerMapping {
    const key = JSON.stringify([tenantId, triggerId, createdAt, version]);
    const mapping = this.#mappings.get(key) ?? compileMapping(definition);
    if (this.#mappings.size >= MAX_MAPPINGS) this.#mappings.clear();
    this.#mappings.set(key, mapping);
    return mapping;
  }
}

/** `null` if the message is not an event. */
function idOf(received: ReceivedMessage): string | null {
  try {
    return readEvent(received).event.id;
  } catch {
    return null;
  }
}
