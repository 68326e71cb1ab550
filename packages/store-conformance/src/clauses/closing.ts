import assert from "node:assert/strict";
import { clause } from "../clause.js";
import { logOf, stepOf, stepsOf } from "../support/events.js";
import { refused } from "../support/refused.js";

const RUN = "run-1";

/** `close` waits for sent calls and refuses later ones. Acknowledged events are kept (P1). */
export const closing = clause("closing", [], {
  "calls sent before the close are answered": async ({ store }) => {
    const calls = stepsOf(RUN, 20).map((event) => store.appendEvent(event));
    const closed = store.close();
    assert.equal((await Promise.all(calls)).length, 20);
    await closed;
  },

  "later calls are refused, writes and reads alike": async ({ store }) => {
    const tenant = store.forTenant("acme");
    await store.close();
    await refused(store.appendEvent(stepOf(RUN, "s1")), "STORE_CLOSED");
    await refused(tenant.appendEvent(stepOf(RUN, "s1")), "STORE_CLOSED");
    await refused(store.fetchEvents(RUN), "STORE_CLOSED");
    await refused(store.listHeads(), "STORE_CLOSED");
  },

  "closing twice, or at the end of a scope, is closing once": async ({ store }) => {
    await Promise.all([store.close(), store.close()]);
    await store[Symbol.asyncDispose]();
  },

  "P1: acknowledged events are there after the store is opened again": async ({ store, reopen }) => {
    if (reopen === null || !store.capabilities.durable) return;
    await store.appendEvents(stepsOf(RUN, 3));
    await store.forTenant("acme").appendEvent(stepOf("run-2", "s1"));
    const [before, heads] = [await logOf(store, RUN), await store.listHeads()];
    const again = await reopen();
    assert.deepEqual(await logOf(again, RUN), before);
    assert.deepEqual(await again.listHeads(), heads);
    const [repeated, fresh] = await again.appendEvents([stepOf(RUN, "s2"), stepOf(RUN, "s4")]);
    assert.deepEqual([repeated?.runSeq, repeated?.idempotent], [2, true]);
    assert.deepEqual([fresh?.runSeq, fresh?.idempotent], [4, false]);
  },
});
