import assert from "node:assert/strict";
import { clause } from "../clause.js";
import { logOf, placesOf, stepOf, stepsOf } from "../support/events.js";

const RUN = "run-1";

/** P2, P6: the order of a run's events is the order of its commits and of its callers' calls. */
export const ordering = clause("ordering", [], {
  "P2: who is answered before another calls has the lower number": async ({ store, another }) => {
    const handles = [store, await another()];
    let last = 0;
    for (const [index, event] of stepsOf(RUN, 20).entries()) {
      const { runSeq } = await handles[index % 2]!.appendEvent(event);
      assert.ok(runSeq > last, `${runSeq} after ${last}`);
      last = runSeq;
    }
  },

  "P6: calls of one caller that do not wait for each other keep their order": async ({ store }) => {
    const events = stepsOf(RUN, 50);
    const results = await Promise.all(events.map((event) => store.appendEvent(event)));
    assert.deepEqual(
      results.map((result) => result.runSeq),
      events.map((_, index) => index + 1),
    );
  },

  "P6: the order holds between calls with and without conditions": async ({ store }) => {
    await store.appendEvent(stepOf(RUN, "s0"));
    const calls = stepsOf(RUN, 12).map((event, index) => {
      const conditions = [{}, { mustExist: true }, { expectedSeq: index + 1 }];
      return store.appendEvents([event], conditions[index % 3]);
    });
    await Promise.all(calls);
    assert.deepEqual(
      placesOf(await logOf(store, RUN)),
      ["s0", ...stepsOf(RUN, 12).map((event) => event.stepId)].map((stepId, index) => [index + 1, stepId]),
    );
  },

  "P2: persistedAt is the store's, and never goes back along a run": async ({ store }) => {
    for (let call = 0; call < 10; call++) await store.appendEvents(stepsOf(RUN, 3, 1 + call * 3));
    const times = (await logOf(store, RUN)).map((event) => Date.parse(event.persistedAt!));
    const sorted = times.toSorted((a, b) => a - b);
    assert.deepEqual(times, sorted);
    assert.ok(Math.abs(Date.now() - times.at(-1)!) < 60_000, "the store's clock is far from this machine's");
  },

  "stored events never change": async ({ store }) => {
    await store.appendEvents(stepsOf(RUN, 3));
    const before = await logOf(store, RUN);
    await store.appendEvents([...stepsOf(RUN, 3), stepOf(RUN, "s1", { eventData: { other: true } })]);
    await store.appendEvents(stepsOf(RUN, 2, 4));
    assert.deepEqual((await logOf(store, RUN)).slice(0, 3), before);
  },
});
