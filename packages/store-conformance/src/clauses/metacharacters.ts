import assert from "node:assert/strict";
import { newEvent } from "@runledger/contracts";
import { clause } from "../clause.js";
import { logOf, stepOf } from "../support/events.js";
import { take } from "../support/workers.js";

/** Characters with a meaning in a query, a pattern, an array literal, a path or a shell. */
const texts = [
  "'; DROP TABLE run_events; --",
  '" OR "1"="1',
  "\\'\\\"\\\\",
  "$1 $$ ${x} $(id)",
  "%_*?",
  "{a,b} NULL {}",
  "NULL",
  "../../etc/passwd",
  "<script>alert(1)</script>",
  "`id` & echo; #",
  "E'\\x41'::text",
  ":name @p0 ?",
];

/** Text is data in every field. */
export const metacharacters = clause("metacharacters", [], {
  "SQL metacharacters in every field are kept as they are": async ({ store }) => {
    for (const text of texts) {
      const event = newEvent({
        runId: text,
        stepId: text,
        eventType: text,
        planId: text,
        planVersion: text,
        logicalAttemptId: text,
        engineAttemptId: text,
        causedBySignalId: text,
        adapterVersion: text,
        eventData: { [text]: text, list: [text] },
        engineRunRef: { [text]: text },
      });
      await store.appendEvent(event);
      const { runSeq: _, persistedAt: __, ...read } = (await logOf(store, text))[0]!;
      assert.deepEqual(read, { ...event });
      assert.equal((await store.fetchByKeys(text, [event.idempotencyKey])).length, 1);
    }
    assert.equal((await store.fetchHeads(texts)).length, texts.length);
    assert.equal((await store.listHeads()).length, texts.length);
  },

  "in a duplicate too, and in a batch of all of them": async ({ store }) => {
    const events = texts.map((text) => stepOf("run-1", text, { eventData: { text } }));
    await store.appendEvents(events);
    const again = await store.appendEvents([...events, stepOf("run-1", "new", { eventData: texts })]);
    assert.deepEqual(
      again.map((result) => result.idempotent),
      [...texts.map(() => true), false],
    );
    assert.ok(again.every((result) => result.conflict === undefined));
  },

  "in requested keys, tenants and heads": async ({ store }) => {
    await store.appendEvent(stepOf("run-1", "s1"));
    for (const text of texts) {
      assert.deepEqual(await store.fetchByKeys("run-1", [text]), []);
      assert.deepEqual(await store.fetchHeads([text]), []);
      const tenant = store.forTenant(text);
      assert.deepEqual(await tenant.fetchEvents("run-1"), []);
      await tenant.appendEvent(stepOf(`run of ${text}`, "s1"));
      assert.equal((await tenant.listHeads())[0]?.tenantId, text);
    }
  },

  "in the names of workers, followers and steps": async ({ store }) => {
    await store.appendEvent(stepOf("run-1", "s1"));
    for (const text of texts) {
      const { leases, feed, snapshots } = store;
      if (leases !== undefined) {
        const lease = await take(leases, text, "run-1");
        assert.equal((await store.fetchHeads(["run-1"]))[0]?.leaseOwner, text);
        await leases.releaseLeases({ workerId: text, leases: [lease] });
      }
      if (feed !== undefined) {
        assert.equal((await feed.openFollower(text)).follower, text);
        await feed.removeFollower(text);
      }
      assert.equal(await snapshots.readProjection({ runId: "run-1", stepIds: [text] }), null);
    }
  },
});
