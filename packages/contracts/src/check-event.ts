/** Strict checks on write (N3): an event that readers could not read back unchanged is refused before it is sent. */
import { checkedJson } from "./check-json.js";
import { InputError } from "./errors/families.js";
import type { NewEvent } from "./event.js";
import { idempotencyKey as keyOf } from "./idempotency-key.js";
import { checkIdentifier, checkStepId, kind } from "./identifiers.js";
import { sealedPart } from "./payloads.js";
import { checkExpansion } from "./step-ranges.js";

/** Size limit of `eventData` (P9). */
export const MAX_EVENT_BYTES = 256 * 1024;
export const MAX_SIGNAL_BYTES = 64 * 1024;
const MAX_REF_BYTES = 16 * 1024;
/** Encrypted data is longer than its original, whose size was checked, and repeats its structure. */
const SEALED_GROWTH = 3;

/** An event that may be sent: a private copy, with its JSON rendered once. */
export interface CheckedEvent {
  readonly event: NewEvent;
  readonly dataJson: string;
  readonly refJson: string | null;
}

const required = [
  "runId",
  "eventId",
  "eventType",
  "logicalAttemptId",
  "planVersion",
  "idempotencyKey",
  "emittedAt",
] as const;
const identifiers = ["engineAttemptId", "causedBySignalId", "adapterVersion", "planId"] as const;
const optional = ["stepId", "engineRunRef", "parentEventId", ...identifiers] as const;
const fields = new Set<string>([...required, "eventData", ...optional]);

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
/**
 * The format of Date#toISOString, restricted to days that exist in every month, so that no calendar check is needed.
 */
const PLAIN_INSTANT =
  /^(?!0000)\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/;
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;
/** In UTC. Some stores have no year 0, and the format has no room for a fifth digit. */
const STORABLE = /^(?!0000)\d{4}-/;
const ATTEMPT = /^[1-9]\d{0,8}$/;

const ReturnsItsArgument = function (event: object) {
  return event;
} as unknown as new (event: object) => object;

/**
 * Marks events that `newEvent` created and froze: their parts are valid and cannot have changed. The base class returns
 * the event, so the private field is added to it. The mark cannot be forged or copied. Unlike a WeakSet of all events
 * it costs the garbage collector nothing.
 */
class Known extends ReturnsItsArgument {
  readonly #mark = true;

  static has(event: unknown): boolean {
    return typeof event === "object" && event !== null && #mark in event && event.#mark;
  }
}

export function remember(event: NewEvent): NewEvent {
  return Object.freeze(new Known(event) as object as NewEvent);
}

export function checkEvent(event: NewEvent, field = "event"): CheckedEvent {
  const copy = Known.has(event) ? event : checkKey(checkEnvelope(event, field), field);
  return {
    event: copy,
    dataJson: checkEventData(copy, field),
    refJson:
      copy.engineRunRef === undefined ? null : checkedJson(`${field}.engineRunRef`, copy.engineRunRef, MAX_REF_BYTES),
  };
}

/** Checks an event's payload and returns it as JSON text. */
export function checkEventData(event: Pick<NewEvent, "eventType" | "eventData">, field = "event"): string {
  const limit = isSignal(event.eventType) ? MAX_SIGNAL_BYTES : MAX_EVENT_BYTES;
  const growth = sealedPart(event.eventData) === null ? 1 : SEALED_GROWTH;
  const json = checkedJson(`${field}.eventData`, event.eventData, limit * growth);
  checkExpansion(event.eventType, event.eventData, `${field}.eventData`);
  return json;
}

/** Copies the envelope field by field, except for its key, so that the checked values are the ones that are sent. */
function checkEnvelope(event: NewEvent, field: string): NewEvent {
  if (typeof event !== "object" || event === null) throw invalid(field, `must be an event, not ${kind(event)}.`);
  checkFields(event, field);
  const { runId, eventId, eventType, logicalAttemptId, planVersion, idempotencyKey, emittedAt, eventData } = event;
  const copy = { runId, eventId, eventType, logicalAttemptId, planVersion, idempotencyKey, emittedAt, eventData };
  copyOptional(event, copy);
  return settleParts(copy, field);
}

type Unsettled = { -readonly [K in keyof NewEvent]: NewEvent[K] };

/** Checks the parts of an event and normalizes them in place. The caller must own the event. */
export function settleParts(event: Unsettled, field: string): NewEvent {
  checkNames(event, field);
  event.eventId = event.eventId.toLowerCase(); // RFC 9562 requires lower case
  event.emittedAt = checkInstant(`${field}.emittedAt`, event.emittedAt);
  if (event.parentEventId !== undefined) event.parentEventId = event.parentEventId.toLowerCase();
  return event;
}

export function checkFields(event: object, field: string): void {
  for (const name of Object.keys(event)) if (!fields.has(name)) throw unknownField(field, name);
}

/**
 * Copies the optional fields that are present, in place. On this hot path that is several times cheaper than a spread.
 */
export function copyOptional(from: Partial<NewEvent>, to: object): void {
  for (const name of optional) if (from[name] !== undefined) (to as Record<string, unknown>)[name] = from[name];
}

function checkNames(event: Record<string, unknown>, field: string): void {
  checkIdentifier(`${field}.runId`, event["runId"]);
  checkIdentifier(`${field}.eventType`, event["eventType"]);
  checkIdentifier(`${field}.planVersion`, event["planVersion"]);
  checkIdentifier(`${field}.logicalAttemptId`, event["logicalAttemptId"]);
  if (event["stepId"] !== undefined) checkStepId(`${field}.stepId`, event["stepId"]);
  for (const name of identifiers) if (event[name] !== undefined) checkIdentifier(`${field}.${name}`, event[name]);
  checkShape(`${field}.eventId`, event["eventId"], UUID, "a UUID");
  if (event["parentEventId"] !== undefined)
    checkShape(`${field}.parentEventId`, event["parentEventId"], UUID, "a UUID");
  checkAttempt(event, field);
}

/** K2: an attempt is a number from 1, except for signals, where it is the signal's id. */
function checkAttempt(event: Record<string, unknown>, field: string): void {
  const type = event["eventType"] as string;
  const stepType =
    type === "StepStarted" || type === "StepCompleted" || type === "StepFailed" || type === "StepSkipped";
  if (stepType && event["stepId"] === undefined)
    throw invalid(`${field}.stepId`, `is missing. A ${type} event must name its step.`);
  if (stepType)
    checkShape(`${field}.logicalAttemptId`, event["logicalAttemptId"], ATTEMPT, "a number from 1, as a string");
}

function checkKey(event: NewEvent, field: string): NewEvent {
  const key = keyOf(event);
  if (event.idempotencyKey === key) return event;
  const message =
    "is not the SHA-256 of runId|stepId|logicalAttemptId|eventType|planVersion. Use newEvent() to compute it.";
  throw new InputError("IDEMPOTENCY_KEY_MISMATCH", `${field}.idempotencyKey`, message);
}

function checkInstant(field: string, value: unknown): string {
  if (typeof value === "string" && PLAIN_INSTANT.test(value)) return value;
  checkShape(field, value, INSTANT, "an ISO 8601 time with a zone, as in 2026-11-14T08:00:00.000Z");
  const time = Date.parse(value);
  const instant = Number.isNaN(time) || !isDay(value) ? "" : new Date(time).toISOString();
  if (!STORABLE.test(instant))
    throw invalid(field, "is not an existing date between the years 1 and 9999. Correct the date.");
  return instant;
}

/** `Date.parse` reads February 30 as March 2. */
function isDay(value: string): boolean {
  const [year, month, day] = value.slice(0, 10).split("-").map(Number) as [number, number, number];
  return day <= new Date(Date.UTC(year, month, 0)).getUTCDate();
}

function checkShape(field: string, value: unknown, shape: RegExp, what: string): asserts value is string {
  if (typeof value !== "string" || !shape.test(value)) throw invalid(field, `must be ${what}.`);
}

export function isSignal(eventType: string): boolean {
  return eventType === "SignalAccepted" || eventType === "SignalRejected";
}

function invalid(field: string, message: string): InputError {
  return new InputError("EVENT_INVALID", field, message);
}

function unknownField(field: string, name: string): InputError {
  const assigned = name === "runSeq" || name === "persistedAt";
  const message = assigned ? "is assigned by the store. Leave it out." : "is not a field of an event. Remove it.";
  return new InputError("EVENT_UNKNOWN_FIELD", `${field}.${name}`, message);
}
