import assert from "node:assert/strict";
import { MAX_EVENT_BYTES, newEvent, type CanonicalEngineEvent, type Json, type NewEvent } from "@runledger/contracts";
import { clause } from "../clause.js";
import { eventOf, logOf, stepOf } from "../support/events.js";

const RUN = "run-1";
const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

function withoutAssigned({ runSeq: _, persistedAt: __, ...event }: CanonicalEngineEvent): Omit<NewEvent, never> {
  return event as NewEvent;
}

const payloads: Readonly<Record<string, Json>> = {
  "null, text, numbers and lists": [
    null,
    "text",
    0,
    -1.5,
    1e21,
    5e-324,
    Number.MAX_VALUE,
    true,
    [],
    {},
    { nothing: null },
  ],
  "numbers that only doubles hold": [0.1, 2 ** 53, -(2 ** 53), 1 / 3, 123456789.12345679],
  "every kind of text": [
    "",
    " ",
    "\t\r\n\u0001\u007f\u0085",
    "å∂ß日本🜁",
    "\u2028\u2029",
    "\\u0000",
    '"\\"{}[],:',
    "\ufffe",
  ],
  "keys that look odd": { "": 1, " ": 2, "a.b": 3, 日本: 4, constructor: 5, toString: 6, length: 7, "\n": 8 },
  "99 levels": Array.from({ length: 98 }).reduce<Json>((inner) => [inner], ["bottom"]),
};

/** N2, N3: readers get the written event, with a number and a time that the store assigned. */
export const eventFields = clause("event-fields", [], {
  "N2: every field comes back as it was written": async ({ store }) => {
    const event = newEvent({
      runId: RUN,
      stepId: "container/3/load",
      eventType: "StepCompleted",
      planId: "nightly",
      planVersion: "1.2.0",
      logicalAttemptId: "2",
      engineAttemptId: "7",
      eventData: { rows: 3, nested: { list: [1, "two", null, true] } },
      adapterVersion: "temporal/1.0",
      engineRunRef: { workflowId: "w-1", attempts: [1, 2] },
      causedBySignalId: "any text: äöü",
      parentEventId: "6f9619ff-8b86-4011-b42d-00c04fc964ff",
      eventId: "0190163d-8694-7398-8bb9-2d4ac87cba30",
      emittedAt: "2026-11-14T08:00:00.123Z",
    });
    await store.appendEvent(event);
    const [read] = await logOf(store, RUN);
    assert.deepEqual(withoutAssigned(read!), { ...event });
    assert.equal(read!.runSeq, 1);
    assert.match(read!.persistedAt!, ISO);
  },

  "N2: an id in upper case comes back as it was sent": async ({ store }) => {
    const ids = {
      eventId: "0190163D-8694-7398-8BB9-2D4AC87CBA30",
      parentEventId: "6F9619FF-8B86-4011-B42D-00C04FC964FF",
    };
    const event = stepOf(RUN, "load", ids);
    await store.appendEvent(event);
    const [read] = await logOf(store, RUN);
    assert.deepEqual([read?.eventId, read?.parentEventId], [event.eventId, event.parentEventId]);
  },

  "N2: fields that were left out stay out": async ({ store }) => {
    const event = eventOf(RUN, "RunStarted");
    await store.appendEvent(event);
    const [read] = await logOf(store, RUN);
    assert.deepEqual(Object.keys(withoutAssigned(read!)).sort(), Object.keys(event).sort());
  },

  "N2: emittedAt is kept as UTC with milliseconds": async ({ store }) => {
    await store.appendEvents([
      stepOf(RUN, "a", { emittedAt: "2026-11-14T08:00:00+02:00" }),
      stepOf(RUN, "b", { emittedAt: "1969-12-31T23:59:59.9Z" }),
      stepOf(RUN, "c", { emittedAt: "2024-02-29T12:00:00.000Z" }),
    ]);
    assert.deepEqual(
      (await logOf(store, RUN)).map((event) => event.emittedAt),
      ["2026-11-14T06:00:00.000Z", "1969-12-31T23:59:59.900Z", "2024-02-29T12:00:00.000Z"],
    );
  },

  ...Object.fromEntries(
    Object.entries(payloads).map(([what, payload]) => [
      `N2: a payload with ${what} comes back as it was`,
      async ({ store }) => {
        const event = stepOf(RUN, "load", { eventData: { payload }, engineRunRef: { payload } });
        await store.appendEvent(event);
        const [read] = await logOf(store, RUN);
        assert.deepEqual(read!.eventData, { payload });
        assert.deepEqual(read!.engineRunRef, { payload });
        const [byKey] = await store.fetchByKeys(RUN, [event.idempotencyKey]);
        assert.deepEqual(byKey, read);
      },
    ]),
  ),

  "N2: a payload need not be an object": async ({ store }) => {
    const values: readonly Json[] = [null, 0, "text", false, [], [1]];
    await store.appendEvents(values.map((eventData, index) => stepOf(RUN, `s${index}`, { eventData })));
    assert.deepEqual(
      (await logOf(store, RUN)).map((event) => event.eventData),
      values,
    );
  },

  "P9: a payload of exactly 256 KB fits": async ({ store }) => {
    const eventData = "x".repeat(MAX_EVENT_BYTES - 2);
    await store.appendEvent(stepOf(RUN, "load", { eventData }));
    assert.equal((await logOf(store, RUN))[0]?.eventData, eventData);
  },

  "K3: identifiers of 255 characters, of any script, are kept": async ({ store }) => {
    const long = "日".repeat(253) + "🜁";
    const event = stepOf(long, long, {
      planVersion: long,
      planId: long,
      engineAttemptId: long,
      causedBySignalId: long,
    });
    await store.appendEvent(event);
    const [read] = await logOf(store, long);
    assert.deepEqual(withoutAssigned(read!), { ...event });
    assert.equal((await store.fetchHeads([long]))[0]?.runId, long);
  },

  "N2: what a reader does with an event changes nothing in the store": async ({ store }) => {
    await store.appendEvent(stepOf(RUN, "load", { eventData: { rows: 1 } }));
    const [read] = await logOf(store, RUN);
    try {
      Object.assign(read!.eventData as object, { rows: 2 });
    } catch {
      // frozen events are equally good
    }
    assert.deepEqual((await logOf(store, RUN))[0]?.eventData, { rows: 1 });
  },

  "N2: what a writer does with an event after the call changes nothing in the store": async ({ store }) => {
    const eventData = { rows: 1 };
    const call = store.appendEvent(stepOf(RUN, "load", { eventData }));
    eventData.rows = 2;
    await call;
    assert.deepEqual((await logOf(store, RUN))[0]?.eventData, { rows: 1 });
  },
});
