import assert from "node:assert/strict";
import { RunledgerError, type StateStore } from "@runledger/contracts";
import { clause } from "../clause.js";
import { eventOf, stepOf } from "../support/events.js";
import { take } from "../support/workers.js";

const RUN = "run-1";
const NOT_IDENTIFIERS = ["", "a|b", "a\u0000b", "a\ud800b", "x".repeat(256)];

/** The call must refuse its input. */
async function assertInputFault(what: string, call: Promise<unknown>): Promise<void> {
  const error = await call.then(
    () => assert.fail(`${what} was accepted`),
    (reason: unknown) => reason,
  );
  if (!(error instanceof RunledgerError)) throw error;
  assert.equal(error.family, "fix-input", `${what}: ${error.code}, ${error.message}`);
}

/**
 * The call must refuse its input or find nothing. Searching for something that cannot exist is not an error of the
 * store.
 */
async function assertAbsent(what: string, call: Promise<unknown>, nothing: unknown): Promise<void> {
  try {
    assert.deepEqual(await call, nothing, what);
  } catch (error) {
    if (!(error instanceof RunledgerError)) throw error;
    assert.equal(error.family, "fix-input", `${what}: ${error.code}, ${error.message}`);
  }
}

async function assertUnchanged(store: StateStore): Promise<void> {
  const heads = await store.listHeads();
  assert.deepEqual(
    heads.map(({ runId, headSeq, leaseOwner }) => [runId, headSeq, leaseOwner]),
    [[RUN, 1, null]],
  );
}

/** K3, on the ports besides the log. */
export const badPortInput = clause("bad-port-input", [], {
  "K3: a worker's name is an identifier, its time to live a time": async ({ store }) => {
    if (store.leases === undefined) return;
    await store.appendEvent(eventOf(RUN, "RunQueued"));
    for (const workerId of NOT_IDENTIFIERS) {
      const name = JSON.stringify(workerId);
      await assertInputFault(`heartbeat of ${name}`, store.leases.heartbeat({ workerId, ttlMs: 1000 }));
      await assertInputFault(`acquire by ${name}`, store.leases.acquireLeases({ workerId, runIds: [RUN] }));
    }
    for (const ttlMs of [0, -1, Number.NaN, Number.POSITIVE_INFINITY, "1000" as unknown as number])
      await assertInputFault(`ttlMs ${ttlMs}`, store.leases.heartbeat({ workerId: "worker-1", ttlMs }));
    await assertUnchanged(store);
  },

  "K3: leases of runs that cannot exist are not given, and not released": async ({ store }) => {
    if (store.leases === undefined) return;
    await store.appendEvent(eventOf(RUN, "RunQueued"));
    await store.leases.heartbeat({ workerId: "worker-1", ttlMs: 60_000 });
    for (const runId of NOT_IDENTIFIERS) {
      const name = JSON.stringify(runId);
      const granted = store.leases.acquireLeases({ workerId: "worker-1", runIds: [runId] });
      await assertAbsent(
        `lease of ${name}`,
        granted.then(({ leases }) => leases),
        [],
      );
      const released = store.leases.releaseLeases({ workerId: "worker-1", leases: [{ runId, epoch: 1 }] });
      await assertAbsent(`release of ${name}`, released, undefined);
    }
    await assertUnchanged(store);
    assert.equal((await take(store.leases, "worker-1", RUN)).epoch, 1);
  },

  "K3: a follower's name is an identifier, a page has at least one change": async ({ store }) => {
    if (store.feed === undefined) return;
    for (const follower of NOT_IDENTIFIERS)
      await assertInputFault(`follower ${JSON.stringify(follower)}`, store.feed.openFollower(follower));
    const cursor = await store.feed.openFollower("projector");
    for (const limit of [0, -1, 0.5, Number.NaN])
      await assertInputFault(`limit ${limit}`, store.feed.readChanges(cursor, { limit }));
  },

  "K3: projections, checkpoints and the archive do not know what cannot exist": async ({ store }) => {
    await store.appendEvent(stepOf(RUN, "s1"));
    for (const runId of NOT_IDENTIFIERS) {
      const name = JSON.stringify(runId);
      await assertAbsent(`projection of ${name}`, store.snapshots.readProjection({ runId, stepIds: [] }), null);
      await assertAbsent(`step ${name}`, store.snapshots.readProjection({ runId: RUN, stepIds: [runId] }), null);
      await assertAbsent(`steps of ${name}`, store.snapshots.listSteps({ runId }), []);
      await assertAbsent(`deleting ${name}`, store.snapshots.deleteProjection(runId), undefined);
      if (store.checkpoints !== undefined)
        await assertAbsent(`checkpoint of ${name}`, store.checkpoints.loadCheckpoint(runId), null);
      const absent = { runId, archived: false, reason: "absent" };
      if (store.archive !== undefined) await assertAbsent(`archiving ${name}`, store.archive.archiveRun(runId), absent);
    }
    for (const limit of [0, -1, 0.5, Number.NaN])
      await assertInputFault(`limit ${limit}`, store.snapshots.listSteps({ runId: RUN, limit }));
  },
});
