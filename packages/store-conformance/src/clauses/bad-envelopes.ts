import assert from "node:assert/strict";
import type { NewEvent } from "@runledger/contracts";
import { clause, type Fixture } from "../clause.js";
import { assertRefused, badEvent } from "../support/bad-events.js";
import { stepOf } from "../support/events.js";
import { refusedInput } from "../support/refused.js";

type Run = (fixture: Fixture) => Promise<void>;

const dates: Readonly<Record<string, unknown>> = {
  "no date": "yesterday",
  empty: "",
  "a day alone": "2026-11-14",
  "without a zone": "2026-11-14T08:00:00",
  "the 30th of February": "2026-02-30T08:00:00Z",
  "the 31st of April": "2026-04-31T08:00:00.000Z",
  "the 29th of February of a common year": "2026-02-29T08:00:00Z",
  "month 13": "2026-13-01T08:00:00Z",
  "25 o'clock": "2026-11-14T25:00:00Z",
  "a Date": new Date(),
  "an invalid Date": new Date(Number.NaN),
  "a number": 1_700_000_000_000,
  null: null,
  "with a NUL": "2026-11-14T08:00:00Z\u0000",
};

const keys: Readonly<Record<string, unknown>> = {
  "another event's": stepOf("run-1", "other").idempotencyKey,
  empty: "",
  "in upper case": stepOf("run-1", "bad").idempotencyKey.toUpperCase(),
  "cut short": stepOf("run-1", "bad").idempotencyKey.slice(1),
  "not text": 7,
  missing: undefined,
};

const shapes: Readonly<Record<string, unknown>> = {
  null: null,
  undefined,
  text: "event",
  "a number": 1,
};

/** N2, N3: strict on write. */
export const badEnvelopes = clause("bad-envelopes", [], {
  "N2: a supplied runSeq is refused: the store assigns it": async ({ store }) => {
    const fault = { code: "EVENT_UNKNOWN_FIELD", field: "runSeq" } as const;
    await assertRefused(store, { event: badEvent({ runSeq: 7 }), ...fault });
    await refusedInput(store.appendEvent(badEvent({ runSeq: undefined })), fault.code, "event.runSeq");
  },

  "N2: a supplied persistedAt is refused": async ({ store }) => {
    const event = badEvent({ persistedAt: "2026-11-14T08:00:00.000Z" });
    await assertRefused(store, { event, code: "EVENT_UNKNOWN_FIELD", field: "persistedAt" });
  },

  "N3: an unknown field is refused": async ({ store }) => {
    const event = badEvent({ stepID: "load" });
    await assertRefused(store, { event, code: "EVENT_UNKNOWN_FIELD", field: "stepID" });
  },

  ...Object.fromEntries(
    Object.entries(dates).map(([what, emittedAt]): [string, Run] => [
      `an emittedAt that is ${what} is refused`,
      ({ store }) =>
        assertRefused(store, { event: badEvent({ emittedAt }), code: "EVENT_INVALID", field: "emittedAt" }),
    ]),
  ),

  "an emittedAt at the edge of time is kept or refused, but never breaks the store": async ({ store }) => {
    for (const emittedAt of [
      "0000-01-01T00:00:00Z",
      "0001-01-01T00:00:00+01:00",
      "9999-12-31T23:59:59.999Z",
      "9999-12-31T23:59:59-23:00",
    ]) {
      const event = stepOf("run-1", `at ${emittedAt}`);
      const answer = await store.appendEvent({ ...event, emittedAt }).catch((error: unknown) => error);
      if ((answer as { code?: string }).code === "EVENT_INVALID") continue;
      const [read] = await store.fetchByKeys("run-1", [event.idempotencyKey]);
      assert.equal(read?.emittedAt, new Date(emittedAt).toISOString(), String(answer));
    }
  },

  ...Object.fromEntries(
    Object.entries(keys).map(([what, idempotencyKey]): [string, Run] => [
      `K1: a key that is ${what} is refused`,
      ({ store }) =>
        assertRefused(store, {
          event: badEvent({ idempotencyKey }),
          code: "IDEMPOTENCY_KEY_MISMATCH",
          field: "idempotencyKey",
        }),
    ]),
  ),

  "N2: an eventId or parentEventId that is not a UUID is refused": async ({ store }) => {
    await assertRefused(store, { event: badEvent({ eventId: "event-1" }), code: "EVENT_INVALID", field: "eventId" });
    for (const value of ["", "6f9619ff8b864011b42d00c04fc964ff", "{6f9619ff-8b86-4011-b42d-00c04fc964ff}", 7, null]) {
      await refusedInput(store.appendEvent(badEvent({ eventId: value })), "EVENT_INVALID", "event.eventId");
      await refusedInput(store.appendEvent(badEvent({ parentEventId: value })), "EVENT_INVALID", "event.parentEventId");
    }
  },

  ...Object.fromEntries(
    Object.entries(shapes).map(([what, event]): [string, Run] => [
      `${what} instead of an event is refused`,
      ({ store }) => assertRefused(store, { event: event as NewEvent, code: "EVENT_INVALID", field: "" }),
    ]),
  ),

  "a value that is not a list of events is refused": async ({ store }) => {
    for (const events of [null, "events", 7, { 0: stepOf("run-1", "a"), length: 1 }])
      await refusedInput(store.appendEvents(events as unknown as NewEvent[]), "EVENT_INVALID", "events");
    assert.deepEqual(await store.listHeads(), []);
  },
});
