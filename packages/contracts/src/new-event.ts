import { checkFields, copyOptional, remember, settleParts } from "./check-event.js";
import type { NewEvent } from "./event.js";
import { idempotencyKey } from "./idempotency-key.js";
import type { Json } from "./json.js";

declare const crypto: { randomUUID(): string };

/** The parts of an event that the emitter provides. `newEvent` fills in the rest. */
export interface NewEventParts extends Omit<
  NewEvent,
  "eventId" | "emittedAt" | "idempotencyKey" | "logicalAttemptId" | "eventData"
> {
  /** Defaults to a random UUID. */
  readonly eventId?: string;
  /** Defaults to the current time of this machine. */
  readonly emittedAt?: string;
  /** Defaults to the first attempt (K2). */
  readonly logicalAttemptId?: string;
  /** Defaults to an empty object. */
  readonly eventData?: Json;
}

/** Creates a complete event and computes its key (K1). The event is frozen, so a store need not check it again. */
export function newEvent(parts: NewEventParts): NewEvent {
  checkFields(parts, "event");
  const { runId, stepId, eventType, planVersion, logicalAttemptId = "1", eventData = {} } = parts;
  const key = idempotencyKey({ runId, stepId, logicalAttemptId, eventType, planVersion });
  const emittedAt = parts.emittedAt ?? new Date().toISOString();
  const eventId = parts.eventId ?? crypto.randomUUID();
  const event = { runId, eventId, eventType, logicalAttemptId, planVersion, idempotencyKey: key, emittedAt, eventData };
  copyOptional(parts, event);
  return remember(settleParts(event, "event"));
}
