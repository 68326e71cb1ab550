import assert from "node:assert/strict";
import { clause } from "../clause.js";
import { eventOf, logOf, placesOf, stepOf, stepsOf } from "../support/events.js";

const RUN = "run-1";

/** K1, K2, K5: one event per key. */
export const idempotency = clause("idempotency", [], {
  "K5: a new event is numbered, persisted and no duplicate": async ({ store }) => {
    const result = await store.appendEvent(eventOf(RUN, "RunStarted"));
    assert.deepEqual(result, { runSeq: 1, idempotent: false, persisted: true });
  },

  "K5: a repeated key answers with the original's seq, and writes nothing": async ({ store }) => {
    const [first, second, third] = stepsOf(RUN, 3);
    await store.appendEvents([first!, second!, third!]);
    const result = await store.appendEvent(second!);
    assert.deepEqual(result, { runSeq: 2, idempotent: true, persisted: false });
    assert.equal((await logOf(store, RUN)).length, 3);
  },

  "K5: another payload under a stored key is a conflict, and the first write wins": async ({ store }) => {
    await store.appendEvent(stepOf(RUN, "load", { eventData: { rows: 1 } }));
    const result = await store.appendEvent(stepOf(RUN, "load", { eventData: { rows: 2 } }));
    assert.deepEqual(result, { runSeq: 1, idempotent: true, persisted: false, conflict: true });
    const log = await logOf(store, RUN);
    assert.deepEqual(
      log.map((event) => event.eventData),
      [{ rows: 1 }],
    );
  },

  "K5: the order of keys in a payload makes no conflict": async ({ store }) => {
    await store.appendEvent(stepOf(RUN, "load", { eventData: { a: 1, b: { c: [1, 2], d: null } } }));
    const result = await store.appendEvent(stepOf(RUN, "load", { eventData: { b: { d: null, c: [1, 2] }, a: 1 } }));
    assert.deepEqual(result, { runSeq: 1, idempotent: true, persisted: false });
  },

  "K5: the order of a list, and null instead of nothing, are a conflict": async ({ store }) => {
    await store.appendEvent(stepOf(RUN, "load", { eventData: { list: [1, 2] } }));
    const reordered = await store.appendEvent(stepOf(RUN, "load", { eventData: { list: [2, 1] } }));
    const withNull = await store.appendEvent(stepOf(RUN, "load", { eventData: { list: [1, 2], more: null } }));
    assert.deepEqual([reordered.conflict, withNull.conflict], [true, true]);
  },

  "K1: engineAttemptId and eventId take no part in the key": async ({ store }) => {
    await store.appendEvent(stepOf(RUN, "load", { engineAttemptId: "1" }));
    const result = await store.appendEvent(stepOf(RUN, "load", { engineAttemptId: "2" }));
    assert.deepEqual(result, { runSeq: 1, idempotent: true, persisted: false });
  },

  "K2: another attempt, type, step or plan version is another event": async ({ store }) => {
    const results = await store.appendEvents([
      stepOf(RUN, "load"),
      stepOf(RUN, "load", { logicalAttemptId: "2" }),
      eventOf(RUN, "StepCompleted", { stepId: "load" }),
      stepOf(RUN, "load/1/x"),
      stepOf(RUN, "load", { planVersion: "1.0.1" }),
      eventOf(RUN, "RunPaused"),
      eventOf(RUN, "RunPaused", { logicalAttemptId: "2" }),
    ]);
    assert.deepEqual(
      results.map((result) => result.runSeq),
      [1, 2, 3, 4, 5, 6, 7],
    );
  },

  "K5: a key twice in one call is stored once": async ({ store }) => {
    const [first, second] = stepsOf(RUN, 2);
    const other = stepOf(RUN, "s1", { eventData: { rows: 2 } });
    const results = await store.appendEvents([first!, second!, first!, other]);
    assert.deepEqual(results, [
      { runSeq: 1, idempotent: false, persisted: true },
      { runSeq: 2, idempotent: false, persisted: true },
      { runSeq: 1, idempotent: true, persisted: false },
      { runSeq: 1, idempotent: true, persisted: false, conflict: true },
    ]);
    assert.deepEqual(placesOf(await logOf(store, RUN)), [
      [1, "s1"],
      [2, "s2"],
    ]);
  },

  "K5: new events next to duplicates in one call are numbered without a gap": async ({ store }) => {
    const events = stepsOf(RUN, 5);
    await store.appendEvents([events[1]!, events[3]!]);
    const results = await store.appendEvents(events);
    assert.deepEqual(
      results.map(({ runSeq, idempotent }) => [runSeq, idempotent]),
      [
        [3, false],
        [1, true],
        [4, false],
        [2, true],
        [5, false],
      ],
    );
  },

  "K5: one event sent twenty times at once is stored once": async ({ store }) => {
    const event = stepOf(RUN, "load");
    const results = await Promise.all(Array.from({ length: 20 }, () => store.appendEvent(event)));
    assert.equal(results.filter((result) => result.persisted).length, 1);
    assert.equal(results.filter((result) => result.idempotent && result.runSeq === 1).length, 19);
    assert.equal((await logOf(store, RUN)).length, 1);
  },
});
