import assert from "node:assert/strict";
import { clause } from "../clause.js";
import { act, assertSame, claimIds, park, PLAN, startAll, type QueueStore } from "../support/queueing.js";

const ACME = { tenants: ["acme"] } as const;

async function claimAs(store: QueueStore, workerId: string, tenants: readonly string[], limit = 100) {
  await store.leases.heartbeat({ workerId, ttlMs: 60_000, plans: [PLAN], logFormat: 1, tenants });
  return (await store.queue.claimRuns({ workerId, plans: [PLAN], logFormat: 1, limit, tenants })).runs;
}

async function idsAs(store: QueueStore, workerId: string, tenants: readonly string[], limit = 100): Promise<string[]> {
  return (await claimAs(store, workerId, tenants, limit)).map(({ runId }) => runId);
}

async function startBoth(store: QueueStore): Promise<void> {
  await startAll(store, ["a-1", "a-2"], { tenantId: "acme" });
  await startAll(store, ["b-1", "b-2"], { tenantId: "other" });
}

/** Workers that run the steps of some tenants only. */
export const workerTenants = clause("worker-tenants", ["queue", "leases", "limits", "plans"], {
  "a worker of a tenant claims its queued runs, and no others": async ({ store }) => {
    await startBoth(store);
    assert.deepEqual(await idsAs(store, "w-none", ["third"]), []);
    assertSame(await idsAs(store, "w-acme", ACME.tenants), ["a-1", "a-2"]);
    assertSame(await claimIds(store, 100, "w-all"), ["b-1", "b-2"]);
  },

  "a worker of several tenants claims the runs of each": async ({ store }) => {
    await startBoth(store);
    await startAll(store, ["c-1"], { tenantId: "third" });
    assertSame(await idsAs(store, "w", ["acme", "third"]), ["a-1", "a-2", "c-1"]);
  },

  "a worker of a tenant resumes only its runs, and answers only its operators": async ({ store }) => {
    await startBoth(store);
    const held = await claimAs(store, "worker-1", ["acme", "other"]);
    for (const run of held) await park(store, run, run.runId.endsWith("1") ? new Date(0).toISOString() : null);
    for (const runId of ["a-2", "b-2"]) await act(store, runId);
    assert.deepEqual(await idsAs(store, "w-acme", ACME.tenants, 0), ["a-2"]);
    assert.deepEqual(await idsAs(store, "w-acme", ACME.tenants), ["a-1"]);
    assertSame(await claimIds(store, 100, "w-all"), ["b-1", "b-2"]);
  },

  "a worker of a tenant takes over only its runs, and frees those of others for their workers": async ({ store }) => {
    await startBoth(store);
    assert.equal((await claimAs(store, "dying", ["acme", "other"])).length, 4);
    await store.leases.retireWorker("dying");
    assertSame(await idsAs(store, "w-acme", ACME.tenants), ["a-1", "a-2"]);
    const heads = await store.fetchHeads(["b-1", "b-2"]);
    assert.deepEqual(
      heads.map(({ leaseOwner }) => leaseOwner),
      [null, null],
    );
    assertSame(await idsAs(store, "w-other", ["other"]), ["b-1", "b-2"]);
  },

  "a worker of a tenant without room takes over only its runs with an action": async ({ store }) => {
    await startBoth(store);
    assert.equal((await claimAs(store, "dying", ["acme", "other"])).length, 4);
    for (const runId of ["a-2", "b-2"]) await act(store, runId);
    await store.leases.retireWorker("dying");
    assert.deepEqual(await idsAs(store, "w-acme", ACME.tenants, 0), ["a-2"]);
  },

  "a concurrency key that is free again is offered to workers of its tenant": async ({ store }) => {
    for (const tenantId of ["acme", "other"])
      await startAll(store, [`${tenantId}-1`, `${tenantId}-2`], { tenantId, concurrencyKey: "k" });
    const [first] = await claimAs(store, "w-acme", ACME.tenants);
    assert.equal(first?.runId, "acme-1");
    assert.deepEqual(await idsAs(store, "w-acme", ACME.tenants), []);
    assert.deepEqual(await idsAs(store, "w-other", ["other"]), ["other-1"]);
  },

  "workers report their tenants, which stay in effect until they report others": async ({ store, another }) => {
    const { leases } = store;
    await leases.heartbeat({ workerId: "w-all", ttlMs: 60_000, plans: [PLAN] });
    await leases.heartbeat({ workerId: "w-acme", ttlMs: 60_000, plans: [PLAN], ...ACME });
    await leases.heartbeat({ workerId: "w-acme", ttlMs: 60_000 });
    const { workers } = await (await another()).leases!.listWorkers();
    const known = workers.map(({ workerId, tenants }) => [workerId, tenants]);
    assert.deepEqual(known, [
      ["w-acme", ["acme"]],
      ["w-all", undefined],
    ]);
  },

  "open runs of a tenant without a worker are unserved": async ({ store }) => {
    await startBoth(store);
    const { plans } = store;
    const missing = async () => (await plans.listUnserved()).map(({ openRuns }) => openRuns);
    await store.leases.heartbeat({ workerId: "w-acme", ttlMs: 60_000, plans: [PLAN], logFormat: 1, ...ACME });
    assert.deepEqual(await missing(), [2]);
    await store.leases.heartbeat({ workerId: "w-all", ttlMs: 60_000, plans: [PLAN], logFormat: 1 });
    assert.deepEqual(await missing(), []);
  },

  "the visibility of a plan is listed, and can be changed": async ({ store }) => {
    const step = { id: "load", kind: "function", needs: {}, after: [] };
    const body = { steps: [step], output: "load" };
    const plan = { ...PLAN, hash: "a".repeat(64), body, deadlineMs: null, approval: false };
    const { plans } = store;
    const listed = async (withSource: boolean) => (await plans.listPlans({ withSource }))[0]?.visibility;
    await plans.registerPlan(plan, { source: "text" });
    assert.equal(await listed(false), undefined);
    await plans.registerPlan(plan, { visibility: ACME });
    assert.deepEqual([await listed(false), await listed(true)], [ACME, ACME]);
    await plans.registerPlan(plan, { visibility: "shared" });
    assert.equal(await listed(true), "shared");
  },
});
