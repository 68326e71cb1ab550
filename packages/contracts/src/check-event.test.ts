// @module-tag L-30
import fc from "fast-check";
import { expect, test } from "vitest";
import {
  checkEvent,
  idempotencyKey,
  InputError,
  MAX_EVENT_BYTES,
  newEvent,
  type ErrorCode,
  type NewEvent,
} from "./index.js";

const good = newEvent({
  runId: "run-1",
  stepId: "load",
  eventType: "StepCompleted",
  planVersion: "1.0.0",
  eventData: { rows: 3 },
});
/** A copy with changes, its key right unless the change is to the key. */
const changed = (changes: Record<string, unknown>): NewEvent => {
  const event = { ...good, ...changes } as NewEvent;
  return "idempotencyKey" in changes ? event : { ...event, idempotencyKey: idempotencyKey(event) };
};

function refusal(event: NewEvent): InputError {
  try {
    checkEvent(event);
  } catch (error) {
    if (error instanceof InputError) return error;
    throw error;
  }
  return expect.unreachable("the event was accepted");
}

const deep = (levels: number): unknown => (levels === 0 ? 1 : { d: deep(levels - 1) });
const circular: Record<string, unknown> = {};
circular["self"] = circular;

const cases: readonly [what: string, event: NewEvent, code: ErrorCode, field: string][] = [
  ["no event", null as never, "EVENT_INVALID", "event"],
  ["an empty id", changed({ runId: "" }), "IDENTIFIER_INVALID", "event.runId"],
  ["a missing id", changed({ runId: undefined }), "IDENTIFIER_INVALID", "event.runId"],
  ["an over-long id", changed({ runId: "x".repeat(256) }), "IDENTIFIER_INVALID", "event.runId"],
  ["a separator", changed({ stepId: "a|b" }), "IDENTIFIER_INVALID", "event.stepId"],
  ["a control character", changed({ planVersion: "1\n2" }), "IDENTIFIER_INVALID", "event.planVersion"],
  ["a C1 control character", changed({ planVersion: "1\u0085" }), "IDENTIFIER_INVALID", "event.planVersion"],
  ["half a surrogate pair", changed({ runId: "a\ud800" }), "IDENTIFIER_INVALID", "event.runId"],
  ["a reserved name", changed({ stepId: "RUN" }), "IDENTIFIER_INVALID", "event.stepId"],
  ["a number for an id", changed({ engineAttemptId: 3 }), "IDENTIFIER_INVALID", "event.engineAttemptId"],
  ["a step event without its step", changed({ stepId: undefined }), "EVENT_INVALID", "event.stepId"],
  ["attempt zero", changed({ logicalAttemptId: "0" }), "EVENT_INVALID", "event.logicalAttemptId"],
  ["an attempt in words", changed({ logicalAttemptId: "first" }), "EVENT_INVALID", "event.logicalAttemptId"],
  [
    "a key of other parts",
    changed({ idempotencyKey: "0".repeat(64) }),
    "IDEMPOTENCY_KEY_MISMATCH",
    "event.idempotencyKey",
  ],
  ["an event id that is not a UUID", changed({ eventId: "evt-1" }), "EVENT_INVALID", "event.eventId"],
  ["a parent that is not a UUID", changed({ parentEventId: "evt-1" }), "EVENT_INVALID", "event.parentEventId"],
  ["a date that does not exist", changed({ emittedAt: "2026-13-45T00:00:00Z" }), "EVENT_INVALID", "event.emittedAt"],
  ["a date without a zone", changed({ emittedAt: "2026-11-14T00:00:00" }), "EVENT_INVALID", "event.emittedAt"],
  ["a Date object", changed({ emittedAt: new Date() }), "EVENT_INVALID", "event.emittedAt"],
  ["a supplied runSeq", changed({ runSeq: 4 }), "EVENT_UNKNOWN_FIELD", "event.runSeq"],
  [
    "a supplied persistedAt",
    changed({ persistedAt: "2026-11-14T00:00:00Z" }),
    "EVENT_UNKNOWN_FIELD",
    "event.persistedAt",
  ],
  ["an unknown field", changed({ colour: "red" }), "EVENT_UNKNOWN_FIELD", "event.colour"],
  ["no payload", changed({ eventData: undefined }), "PAYLOAD_NOT_JSON", "event.eventData"],
  ["NaN", changed({ eventData: { n: [Number.NaN] } }), "PAYLOAD_NOT_JSON", "event.eventData.n[0]"],
  ["infinity", changed({ eventData: { n: Number.NEGATIVE_INFINITY } }), "PAYLOAD_NOT_JSON", "event.eventData.n"],
  ["undefined inside", changed({ eventData: { n: undefined } }), "PAYLOAD_NOT_JSON", "event.eventData.n"],
  ["a hole in an array", changed({ eventData: Array(1) }), "PAYLOAD_NOT_JSON", "event.eventData[0]"],
  ["a function", changed({ eventData: { f: () => 1 } }), "PAYLOAD_NOT_JSON", "event.eventData.f"],
  ["a bigint", changed({ eventData: 1n }), "PAYLOAD_NOT_JSON", "event.eventData"],
  ["a symbol", changed({ eventData: Symbol("s") }), "PAYLOAD_NOT_JSON", "event.eventData"],
  ["a Date in the payload", changed({ eventData: { at: new Date() } }), "PAYLOAD_NOT_JSON", "event.eventData.at"],
  ["a Map in the payload", changed({ eventData: { m: new Map() } }), "PAYLOAD_NOT_JSON", "event.eventData.m"],
  ["a NUL character", changed({ eventData: { t: "a\u0000" } }), "PAYLOAD_NOT_JSON", "event.eventData.t"],
  ["a NUL character in a key", changed({ eventData: { "a\u0000": 1 } }), "PAYLOAD_NOT_JSON", "event.eventData (key)"],
  ["half a pair in the payload", changed({ eventData: { t: "\udc00" } }), "PAYLOAD_NOT_JSON", "event.eventData.t"],
  [
    "a __proto__ key",
    changed({ eventData: JSON.parse('{"a":{"__proto__":1}}') }),
    "PAYLOAD_NOT_JSON",
    "event.eventData.a",
  ],
  [
    "a payload over 256 KB",
    changed({ eventData: "x".repeat(MAX_EVENT_BYTES) }),
    "PAYLOAD_TOO_LARGE",
    "event.eventData",
  ],
  [
    "a payload over 256 KB in bytes only",
    changed({ eventData: "\u20ac".repeat(MAX_EVENT_BYTES / 3) }),
    "PAYLOAD_TOO_LARGE",
    "event.eventData",
  ],
  [
    "a reference that is not JSON",
    changed({ engineRunRef: { f: () => 1 } }),
    "PAYLOAD_NOT_JSON",
    "event.engineRunRef.f",
  ],
  ["a large reference", changed({ engineRunRef: "x".repeat(20_000) }), "PAYLOAD_TOO_LARGE", "event.engineRunRef"],
];

test.each(cases)("%s is refused with a code and the field", (_, event, code, field) => {
  expect(refusal(event)).toMatchObject({ code, field, family: "fix-input" });
});

test("a value nested 1,000 levels deep or in itself is refused before the stack overflows", () => {
  expect(refusal(changed({ eventData: deep(1000) })).code).toBe("PAYLOAD_NOT_JSON");
  expect(refusal(changed({ eventData: circular })).code).toBe("PAYLOAD_NOT_JSON");
  expect(checkEvent(changed({ eventData: deep(99) })).dataJson).toContain('"d"');
});

test("S1: a refusal never shows the value", () => {
  const secret = "hunter2-hunter2";
  for (const changes of [
    { eventData: { password: `${secret}\u0000` } },
    { runId: `${secret}|` },
    { eventData: { [secret]: undefined } },
  ]) {
    const { message, field } = refusal(changed(changes));
    expect(message.replace(field, "")).not.toContain(secret);
  }
});

test("P9: a signal's payload is bounded at 64 KB", () => {
  const signal = (bytes: number) =>
    newEvent({
      runId: "r",
      eventType: "SignalAccepted",
      logicalAttemptId: "any id",
      planVersion: "1",
      eventData: "x".repeat(bytes),
    });
  expect(refusal(signal(64 * 1024)).code).toBe("PAYLOAD_TOO_LARGE");
  expect(checkEvent(signal(60_000)).dataJson).toHaveLength(60_002);
});

test("N2: times are kept in UTC to the millisecond", () => {
  expect(checkEvent(changed({ emittedAt: "2026-11-14T10:00:00.123456+02:00" })).event.emittedAt).toBe(
    "2026-11-14T08:00:00.123Z",
  );
});

test("the checked event is sent: later changes by the caller have no effect", () => {
  const event: { -readonly [K in keyof NewEvent]: NewEvent[K] } = { ...changed({}) };
  const checked = checkEvent(event);
  event.runId = "other";
  expect(checked.event.runId).toBe("run-1");
});

test("newEvent refuses what checkEvent refuses, and its events are frozen", () => {
  expect(() => newEvent({ ...good, eventId: "x" })).toThrow(expect.objectContaining({ code: "EVENT_INVALID" }));
  expect(() => newEvent({ runId: "r", eventType: "RunStarted", planVersion: "1", colour: 1 } as never)).toThrow(
    expect.objectContaining({ code: "EVENT_UNKNOWN_FIELD" }),
  );
  expect(Object.isFrozen(good)).toBe(true);
});

test("every JSON value survives the check unchanged", () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 6 }), (value) => {
      fc.pre(!JSON.stringify(value).includes("\\u0000") && !JSON.stringify(value).includes("__proto__"));
      const wellFormed = !/\\ud[89a-f]/i.test(JSON.stringify(value));
      fc.pre(wellFormed);
      const { dataJson } = checkEvent(changed({ eventData: value }));
      expect(JSON.parse(dataJson)).toEqual(JSON.parse(JSON.stringify(value)));
    }),
  );
});
