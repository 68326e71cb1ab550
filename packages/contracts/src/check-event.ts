/**
 * Strict on write (N3): an event that a reader could not read back as it was written is refused before it is sent.
 */
import { checkedJson } from "./check-json.js";
import { InputError } from "./errors/families.js";
import type { NewEvent } from "./event.js";
import { idempotencyKey as keyOf } from "./idempotency-key.js";
import { checkIdentifier, checkStepId, kind } from "./identifiers.js";

/** P9. */
export const MAX_EVENT_BYTES = 256 * 1024;
export const MAX_SIGNAL_BYTES = 64 * 1024;
const MAX_REF_BYTES = 16 * 1024;

/** An event that may be sent: its own copy, with its JSON rendered once. */
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
/** As Date writes it, on a day that every month has: nothing about it needs to be looked up. */
const PLAIN_INSTANT =
  /^(?!0000)\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/;
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;
/** In UTC; other stores have no year 0, and text no place for a fifth digit. */
const STORABLE = /^(?!0000)\d{4}-/;
const ATTEMPT = /^[1-9]\d{0,8}$/;

const ReturnsItsArgument = function (event: object) {
  return event;
} as unknown as new (event: object) => object;

/**
 * The mark of events that `newEvent` made and froze: their parts are known to be right, and cannot have changed.
 * The base class returns the event, so that the private field lands on it. Nobody can forge or copy the mark, and unlike
 * a WeakSet of all events it costs the garbage collector nothing.
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

/** What an event carries, as text. */
export function checkEventData(event: Pick<NewEvent, "eventType" | "eventData">, field = "event"): string {
  const limit = isSignal(event.eventType) ? MAX_SIGNAL_BYTES : MAX_EVENT_BYTES;
  return checkedJson(`${field}.eventData`, event.eventData, limit);
}

/** The envelope but for its key, copied field by field, so that what was checked is what is sent. */
function checkEnvelope(event: NewEvent, field: string): NewEvent {
  if (typeof event !== "object" || event === null) throw invalid(field, `must be an event, not ${kind(event)}.`);
  checkFields(event, field);
  const { runId, eventId, eventType, logicalAttemptId, planVersion, idempotencyKey, emittedAt, eventData } = event;
  const copy = { runId, eventId, eventType, logicalAttemptId, planVersion, idempotencyKey, emittedAt, eventData };
  copyOptional(event, copy);
  return settleParts(copy, field);
}

type Unsettled = { -readonly [K in keyof NewEvent]: NewEvent[K] };

/** Checks the parts of an event that is nobody else's, and writes them in the one way in which they are stored. */
export function settleParts(event: Unsettled, field: string): NewEvent {
  checkNames(event, field);
  event.eventId = event.eventId.toLowerCase(); // RFC 9562
  event.emittedAt = checkInstant(`${field}.emittedAt`, event.emittedAt);
  if (event.parentEventId !== undefined) event.parentEventId = event.parentEventId.toLowerCase();
  return event;
}

export function checkFields(event: object, field: string): void {
  for (const name of Object.keys(event)) if (!fields.has(name)) throw unknownField(field, name);
}

/** Assigns what is there, in place: several times cheaper than a spread on this hot path. */
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

/** K2: an attempt is a number from 1, but for signals, where it is the signal's id. */
function checkAttempt(event: Record<string, unknown>, field: string): void {
  const type = event["eventType"] as string;
  const stepType =
    type === "StepStarted" || type === "StepCompleted" || type === "StepFailed" || type === "StepSkipped";
  if (stepType && event["stepId"] === undefined)
    throw invalid(`${field}.stepId`, `is missing; a ${type} names its step.`);
  if (stepType) checkShape(`${field}.logicalAttemptId`, event["logicalAttemptId"], ATTEMPT, "a number from 1, as text");
}

function checkKey(event: NewEvent, field: string): NewEvent {
  const key = keyOf(event);
  if (event.idempotencyKey === key) return event;
  const message = "is not the SHA-256 of runId|stepId|logicalAttemptId|eventType|planVersion. Let newEvent() fill it.";
  throw new InputError("IDEMPOTENCY_KEY_MISMATCH", `${field}.idempotencyKey`, message);
}

function checkInstant(field: string, value: unknown): string {
  if (typeof value === "string" && PLAIN_INSTANT.test(value)) return value;
  checkShape(field, value, INSTANT, "an ISO 8601 time with a zone, as in 2026-11-14T08:00:00.000Z");
  const time = Date.parse(value);
  const instant = Number.isNaN(time) || !isDay(value) ? "" : new Date(time).toISOString();
  if (!STORABLE.test(instant)) throw invalid(field, "is not a date that exists between the years 1 and 9999.");
  return instant;
}

/** JavaScript reads the 30th of February as the 2nd of March. */
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
  const message = assigned ? "is assigned by the store; leave it out." : "is not a field of an event; remove it.";
  return new InputError("EVENT_UNKNOWN_FIELD", `${field}.${name}`, message);
}
