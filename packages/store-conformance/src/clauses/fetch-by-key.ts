import assert from "node:assert/strict";
import { clause } from "../clause.js";
import { logOf, stepOf, stepsOf } from "../support/events.js";

const RUN = "run-1";
const UNKNOWN = "0".repeat(64);

/** C4: outputs are found by their computable key. */
export const fetchByKey = clause("fetch-by-key", [], {
  "returns the events with these keys, ascending by seq in any order of keys": async ({ store }) => {
    const events = stepsOf(RUN, 6);
    await store.appendEvents(events);
    const keys = [events[4]!, events[0]!, events[2]!].map((event) => event.idempotencyKey);
    const log = await logOf(store, RUN);
    assert.deepEqual(await store.fetchByKeys(RUN, keys), [log[0], log[2], log[4]]);
  },

  "unknown keys are left out, and one asked twice comes once": async ({ store }) => {
    const [event] = stepsOf(RUN, 1);
    await store.appendEvent(event!);
    const key = event!.idempotencyKey;
    const found = await store.fetchByKeys(RUN, [UNKNOWN, key, key]);
    assert.deepEqual(
      found.map(({ idempotencyKey }) => idempotencyKey),
      [key],
    );
    assert.deepEqual(await store.fetchByKeys(RUN, [UNKNOWN]), []);
    assert.deepEqual(await store.fetchByKeys(RUN, []), []);
    assert.deepEqual(await store.fetchByKeys("absent", [key]), []);
  },

  "another run's key is unknown here": async ({ store }) => {
    const other = stepOf("run-2", "load");
    await store.appendEvents([stepOf(RUN, "load"), other]);
    assert.deepEqual(await store.fetchByKeys(RUN, [other.idempotencyKey]), []);
  },

  "hundreds of keys at once": async ({ store, atMost }) => {
    const events = stepsOf(RUN, atMost(300));
    await store.appendEvents(events);
    const keys = events.map((event) => event.idempotencyKey).reverse();
    assert.deepEqual(await store.fetchByKeys(RUN, keys), await logOf(store, RUN));
  },
});
