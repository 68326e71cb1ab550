import assert from "node:assert/strict";
import { sha256Hex, type Leases, type PlanRef, type RunQueue, type UnservedPlan } from "@runledger/contracts";
import { clause } from "../clause.js";
import { eventOf } from "../support/events.js";

const old: PlanRef = { planId: "nightly", planVersion: "1.4.0" };
const young: PlanRef = { planId: "nightly", planVersion: "1.5.0" };
const other: PlanRef = { planId: "weekly", planVersion: "1.4.0" };
const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

async function start({ queue }: { readonly queue: RunQueue }, runId: string, plan: PlanRef, logFormat = 1) {
  const event = eventOf(runId, "RunQueued", plan);
  const key = { startKey: sha256Hex(runId), inputHash: "x" };
  await queue.startRun({ event, tenantId: "default", ...key, logFormat, priority: 0 });
}

function live(leases: Leases, workerId: string, plans: readonly PlanRef[], logFormat = 1, ttlMs = 60_000) {
  return leases.heartbeat({ workerId, ttlMs, plans, logFormat });
}

const unserved = (plan: PlanRef, openRuns: number, logFormat = 1, missing: UnservedPlan["missing"] = "plan") => ({
  ...plan,
  logFormat,
  missing,
  openRuns,
});

/** D7, F5: unfinished runs that no live worker can run are reported. */
export const unservedPlans = clause("unserved-plans", ["plans", "queue", "leases"], {
  "D7: versions of open runs that no live worker has are counted, and no others": async ({ store }) => {
    for (const [runId, plan] of [
      ["a", young],
      ["b", old],
      ["c", old],
      ["d", other],
    ] as const)
      await start(store, runId, plan);
    assert.deepEqual(await store.plans.listUnserved(), [unserved(old, 2), unserved(young, 1), unserved(other, 1)]);
    await live(store.leases, "w1", [young, other]);
    assert.deepEqual(await store.plans.listUnserved(), [unserved(old, 2)]);
    await live(store.leases, "w2", [old]);
    assert.deepEqual(await store.plans.listUnserved(), []);
    await store.leases.retireWorker("w1");
    assert.deepEqual(await store.plans.listUnserved(), [unserved(young, 1), unserved(other, 1)]);
  },

  "D7: a worker that died has nothing any more, and what it owned is open": async ({ store }) => {
    await start(store, "a", old);
    await start(store, "b", old);
    await live(store.leases, "w1", [old]);
    const claimed = await store.queue.claimRuns({ workerId: "w1", plans: [old], logFormat: 1, limit: 1 });
    assert.equal(claimed.runs.length, 1);
    assert.deepEqual(await store.plans.listUnserved(), []);
    await live(store.leases, "w1", [old], 1, 10);
    await sleep(40);
    assert.deepEqual(await store.plans.listUnserved(), [unserved(old, 2)]);
  },

  "D7: a run that a live worker owns is served": async ({ store }) => {
    await start(store, "a", old);
    await live(store.leases, "w1", []);
    await store.queue.claimRuns({ workerId: "w1", plans: [old], logFormat: 1, limit: 1 });
    assert.deepEqual(await store.plans.listUnserved(), []);
  },

  "D7: waiting runs are open, finished runs are not": async ({ store }) => {
    await start(store, "a", old);
    await start(store, "b", old);
    await live(store.leases, "w1", [old]);
    const { runs } = await store.queue.claimRuns({ workerId: "w1", plans: [old], logFormat: 1, limit: 2 });
    const [waiting, ending] = runs;
    const { runId, epoch, headSeq, wakes } = waiting!;
    const parked = { workerId: "w1", runId, epoch, wakes, wakeAt: null, checkpoint: null };
    await store.queue.parkRun({ ...parked, expectedSeq: headSeq });
    const end = eventOf(ending!.runId, "RunCancelled", old);
    await store.appendEvents([end], { fence: ending!.epoch, ends: true });
    await store.leases.retireWorker("w1");
    assert.deepEqual(await store.plans.listUnserved(), [unserved(old, 1)]);
  },

  "F5: a log format that no worker of the plan reads is reported as such": async ({ store }) => {
    await start(store, "a", old, 1);
    await start(store, "b", old, 2);
    await start(store, "c", old, 2);
    await start(store, "d", young, 2);
    await live(store.leases, "w1", [old], 1);
    await live(store.leases, "w2", [other], 2);
    assert.deepEqual(await store.plans.listUnserved(), [unserved(old, 2, 2, "logFormat"), unserved(young, 1, 2)]);
    const { runs } = await store.queue.claimRuns({ workerId: "w1", plans: [old], logFormat: 1, limit: 9 });
    assert.deepEqual(
      runs.map(({ runId }) => runId),
      ["a"],
    );
    await live(store.leases, "w3", [old, young], 2);
    assert.deepEqual(await store.plans.listUnserved(), []);
  },
});
