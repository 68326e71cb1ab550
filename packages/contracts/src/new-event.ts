import { checkFields, copyOptional, remember, settleParts } from "./check-event.js";
import type { NewEvent } from "./event.js";
import { idempotencyKey } from "./idempotency-key.js";
import type { Json } from "./json.js";

declare const crypto: { randomUUID(): string };

/** What the emitter knows; the rest is filled in. */
export interface NewEventParts extends Omit<
  NewEvent,
  "eventId" | "emittedAt" | "idempotencyKey" | "logicalAttemptId" | "eventData"
> {
  /** Default: a random UUID. */
  readonly eventId?: string;
  /** Default: now, by this machine's clock. */
  readonly emittedAt?: string;
  /** Default: the first (K2). */
  readonly logicalAttemptId?: string;
  /** Default: an empty object. */
  readonly eventData?: Json;
}

/** A complete event, its key computed from its parts (K1). Frozen: a store need not check it again. */
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
