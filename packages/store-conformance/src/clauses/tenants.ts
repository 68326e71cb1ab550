import assert from "node:assert/strict";
import { clause } from "../clause.js";
import { eventOf, logOf, stepOf, stepsOf } from "../support/events.js";
import { refused } from "../support/refused.js";

const RUN = "run-1";

/** The head records the tenant. In a tenant's view, runs of other tenants do not exist. */
export const tenants = clause("tenants", [], {
  "a new run belongs to the tenant that made it, unscoped to `default`": async ({ store }) => {
    await store.forTenant("acme").appendEvent(stepOf("a", "s1"));
    await store.appendEvent(stepOf("b", "s1"));
    assert.deepEqual(
      (await store.fetchHeads(["a", "b"])).map((head) => head.tenantId),
      ["acme", "default"],
    );
    assert.equal(store.forTenant("acme").tenantId, "acme");
  },

  "a caller for all tenants may append to any run, and its tenant does not change": async ({ store }) => {
    await store.forTenant("acme").appendEvent(stepOf(RUN, "s1"));
    assert.equal((await store.appendEvent(stepOf(RUN, "s2"))).runSeq, 2);
    assert.equal((await store.fetchHeads([RUN]))[0]?.tenantId, "acme");
  },

  "another tenant's run is absent from every read": async ({ store }) => {
    const acme = store.forTenant("acme");
    const event = eventOf(RUN, "RunStarted");
    await acme.appendEvent(event);
    const other = store.forTenant("other");
    assert.deepEqual(await other.fetchEvents(RUN), []);
    assert.deepEqual(await logOf(other, RUN), []);
    assert.deepEqual(await other.fetchByKeys(RUN, [event.idempotencyKey]), []);
    assert.deepEqual(await other.fetchHeads([RUN]), []);
    assert.deepEqual(await other.listHeads(), []);
    assert.equal(await other.getSnapshot(RUN), null);
    await refused(other.projectSnapshot(RUN), "RUN_NOT_FOUND");
  },

  "another tenant's run takes no event, and its duplicate gives nothing away": async ({ store }) => {
    const event = stepOf(RUN, "s1");
    await store.forTenant("acme").appendEvent(event);
    const other = store.forTenant("other");
    await refused(other.appendEvent(stepOf(RUN, "s2")), "RUN_NOT_FOUND");
    await refused(other.appendEvent(event), "RUN_NOT_FOUND");
    await refused(other.appendEvents([stepOf(RUN, "s2")], { expectedSeq: 1 }), "RUN_NOT_FOUND");
    await refused(other.appendEvents([stepOf(RUN, "s2")], { mustExist: true }), "RUN_NOT_FOUND");
    assert.equal((await logOf(store, RUN)).length, 1);
  },

  "each tenant sees its own runs; a caller for all tenants sees all": async ({ store }) => {
    const acme = store.forTenant("acme");
    const other = store.forTenant("other");
    await acme.appendEvents([...stepsOf("a-1", 2), ...stepsOf("a-2", 1)]);
    await other.appendEvents(stepsOf("b-1", 1));
    await store.appendEvents(stepsOf("c-1", 1));
    const ids = async (log: typeof acme | typeof store): Promise<string[]> =>
      (await log.listHeads()).map((head) => head.runId);
    assert.deepEqual(await ids(acme), ["a-1", "a-2"]);
    assert.deepEqual(await ids(other), ["b-1"]);
    assert.deepEqual(await ids(store.forTenant("default")), ["c-1"]);
    assert.deepEqual(await ids(store), ["a-1", "a-2", "b-1", "c-1"]);
    assert.equal((await logOf(acme, "a-1")).length, 2);
    assert.equal((await logOf(store, "b-1")).length, 1);
    assert.equal((await acme.projectSnapshot("a-1")).lastEventSeq, 2);
  },

  "paging through one tenant's runs is not cut short by the others'": async ({ store }) => {
    await store.appendEvents(Array.from({ length: 20 }, (_, index) => stepOf(`run-${index + 10}`, "s1")));
    await store.forTenant("acme").appendEvents([stepOf("run-05", "s1"), stepOf("run-25x", "s1")]);
    const page = await store.forTenant("acme").listHeads({ limit: 2 });
    assert.deepEqual(
      page.map((head) => head.runId),
      ["run-05", "run-25x"],
    );
  },

  "two tenants that make one id at once: one gets it, the other nothing": async ({ store, another }) => {
    const handles = [store, await another()];
    const calls = ["acme", "other"].map((tenant, index) =>
      handles[index]!.forTenant(tenant).appendEvents(stepsOf(RUN, 2, index * 10)),
    );
    const answers = await Promise.allSettled(calls);
    assert.deepEqual(answers.map((answer) => answer.status).toSorted(), ["fulfilled", "rejected"]);
    assert.equal((await logOf(store, RUN)).length, 2);
  },
});
