import assert from "node:assert/strict";
import { clause } from "../clause.js";
import { eventOf, stepOf } from "../support/events.js";
import { take, takeOver } from "../support/workers.js";

const RUN = "run-1";
const created = eventOf(RUN, "RunQueued");
const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** P4, O1: which worker may drive which run, by the store's clock. */
export const leases = clause("leases", ["leases"], {
  "P4 O1: a free run is taken under a new epoch": async ({ store }) => {
    await store.appendEvents([created, stepOf(RUN, "s1")]);
    const lease = await take(store.leases, "worker-1", RUN);
    assert.deepEqual(lease, { runId: RUN, epoch: 1, takenFrom: null, headSeq: 2 });
    const [head] = await store.fetchHeads([RUN]);
    assert.deepEqual([head?.leaseOwner, head?.leaseEpoch], ["worker-1", 1]);
  },

  "O1: a worker without a heartbeat gets nothing": async ({ store }) => {
    await store.appendEvent(created);
    const { leases: granted } = await store.leases.acquireLeases({ workerId: "silent", runIds: [RUN] });
    assert.deepEqual(granted, []);
    assert.equal((await store.fetchHeads([RUN]))[0]?.leaseEpoch, 0);
  },

  "P4: a run that a live worker owns is not given away": async ({ store }) => {
    await store.appendEvent(created);
    await take(store.leases, "worker-1", RUN);
    await store.leases.heartbeat({ workerId: "worker-2", ttlMs: 60_000 });
    const { leases: granted } = await store.leases.acquireLeases({ workerId: "worker-2", runIds: [RUN] });
    assert.deepEqual(granted, []);
    assert.equal((await store.fetchHeads([RUN]))[0]?.leaseOwner, "worker-1");
  },

  "P4: the owner that acquires again keeps its epoch": async ({ store }) => {
    await store.appendEvent(created);
    const first = await take(store.leases, "worker-1", RUN);
    const again = await take(store.leases, "worker-1", RUN);
    assert.deepEqual(again, first);
  },

  "O1: a worker that stops to heartbeat loses its runs, and the next learns from whom": async ({ store }) => {
    await store.appendEvent(created);
    const first = await take(store.leases, "worker-1", RUN);
    await store.leases.heartbeat({ workerId: "worker-1", ttlMs: 30 });
    await sleep(80);
    const second = await take(store.leases, "worker-2", RUN);
    assert.deepEqual([second.epoch, second.takenFrom], [first.epoch + 1, "worker-1"]);
  },

  "O1: a heartbeat keeps all runs of its worker": async ({ store }) => {
    const runIds = ["a", "b", "c"];
    await store.appendEvents(runIds.map((runId) => eventOf(runId, "RunQueued")));
    let ttlMs = 40;
    for (let held = 0; held < runIds.length && ttlMs < 2_000; ttlMs *= 2) {
      await store.leases.heartbeat({ workerId: "worker-1", ttlMs });
      held = (await store.leases.acquireLeases({ workerId: "worker-1", runIds })).leases.length; // none if this test was too slow
    }
    await store.leases.heartbeat({ workerId: "worker-1", ttlMs: 60_000 });
    await sleep(ttlMs);
    await store.leases.heartbeat({ workerId: "worker-2", ttlMs: 60_000 });
    const { leases: granted } = await store.leases.acquireLeases({ workerId: "worker-2", runIds });
    assert.deepEqual(granted, []);
  },

  "O1: a retired worker's runs are free at once": async ({ store }) => {
    await store.appendEvent(created);
    const first = await take(store.leases, "worker-1", RUN);
    const second = await takeOver(store.leases, "worker-1", "worker-2", RUN);
    assert.deepEqual([second.epoch, second.takenFrom], [first.epoch + 1, "worker-1"]);
  },

  "P4: a released run is free, and its next epoch is higher": async ({ store }) => {
    await store.appendEvent(created);
    const first = await take(store.leases, "worker-1", RUN);
    await store.leases.releaseLeases({ workerId: "worker-1", leases: [first] });
    assert.equal((await store.fetchHeads([RUN]))[0]?.leaseOwner, null);
    const second = await take(store.leases, "worker-2", RUN);
    assert.deepEqual([second.epoch, second.takenFrom], [first.epoch + 1, null]);
  },

  "P4: a lease that was lost meanwhile is not released": async ({ store }) => {
    await store.appendEvent(created);
    const lost = await take(store.leases, "worker-1", RUN);
    await takeOver(store.leases, "worker-1", "worker-2", RUN);
    await store.leases.releaseLeases({ workerId: "worker-1", leases: [lost] });
    await store.leases.releaseLeases({ workerId: "worker-2", leases: [lost] });
    assert.equal((await store.fetchHeads([RUN]))[0]?.leaseOwner, "worker-2");
  },

  "O1: many runs at once, those that are free and no others": async ({ store }) => {
    const runIds = ["a", "b", "c", "d"];
    await store.appendEvents(runIds.map((runId) => eventOf(runId, "RunQueued")));
    await take(store.leases, "worker-1", "b");
    await store.leases.heartbeat({ workerId: "worker-2", ttlMs: 60_000 });
    const asked = ["d", "a", "absent", "b", "a", "c"];
    const { leases: granted } = await store.leases.acquireLeases({ workerId: "worker-2", runIds: asked });
    assert.deepEqual(
      granted.map((lease) => [lease.runId, lease.epoch]),
      [
        ["a", 1],
        ["c", 1],
        ["d", 1],
      ],
    );
  },

  "O1: times are the store's, and come back with every answer": async ({ store }) => {
    const { now, expiresAt } = await store.leases.heartbeat({ workerId: "worker-1", ttlMs: 5_000 });
    const lasts = Date.parse(expiresAt) - Date.parse(now);
    assert.ok(lasts > 4_900 && lasts <= 5_000, `the lease lasts ${lasts} ms`);
    const granted = await store.leases.acquireLeases({ workerId: "worker-1", runIds: [] });
    assert.ok(Date.parse(granted.now) >= Date.parse(now));
  },

  "O1: workers are listed with what they said they can run, and keep what they do not say again": async ({ store }) => {
    const plans = [
      { planId: "nightly", planVersion: "1.4.0" },
      { planId: 'a "plan" {', planVersion: "2" },
    ];
    await store.leases.heartbeat({ workerId: "b", ttlMs: 60_000, plans, logFormat: 3 });
    await store.leases.heartbeat({ workerId: "a", ttlMs: 60_000 });
    await store.leases.heartbeat({ workerId: "c", ttlMs: 60_000, plans });
    const { expiresAt } = await store.leases.heartbeat({ workerId: "b", ttlMs: 30_000 });
    await store.leases.retireWorker("c");
    const { now, workers } = await store.leases.listWorkers();
    assert.deepEqual(
      workers.map(({ workerId, plans: known, logFormat }) => [workerId, known, logFormat]),
      [
        ["a", [], 0],
        ["b", plans, 3],
      ],
    );
    assert.equal(workers[1]?.expiresAt, expiresAt);
    assert.ok(now < expiresAt);
    await store.leases.heartbeat({ workerId: "b", ttlMs: 30_000, plans: [] });
    assert.deepEqual((await store.leases.listWorkers()).workers[1]?.plans, []);
  },

  "O1: a worker that died is listed as such, with the time of its death": async ({ store }) => {
    assert.deepEqual((await store.leases.listWorkers()).workers, []);
    const { expiresAt } = await store.leases.heartbeat({ workerId: "a", ttlMs: 10 });
    await sleep(40);
    const { now, workers } = await store.leases.listWorkers();
    const [{ seenAt, ...worker } = { seenAt: null }] = workers;
    assert.deepEqual(worker, { workerId: "a", expiresAt, plans: [], logFormat: 0 });
    assert.ok(seenAt !== null && seenAt < expiresAt);
    assert.ok(now > expiresAt);
  },

  "P4: of ten who reach for one run one gets it": async ({ store, another }) => {
    await store.appendEvent(created);
    const handles = [store, await another()];
    const workers = Array.from({ length: 10 }, (_, index) => `worker-${index}`);
    await Promise.all(workers.map((workerId) => store.leases.heartbeat({ workerId, ttlMs: 60_000 })));
    const answers = await Promise.all(
      workers.map((workerId, index) => handles[index % 2]!.leases!.acquireLeases({ workerId, runIds: [RUN] })),
    );
    assert.equal(answers.flatMap((answer) => answer.leases).length, 1);
  },
});
