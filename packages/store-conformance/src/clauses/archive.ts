import assert from "node:assert/strict";
import { sha256Hex, type StateStore } from "@runledger/contracts";
import { clause } from "../clause.js";
import { eventOf, logOf, stepOf, stepsOf } from "../support/events.js";
import { refused } from "../support/refused.js";
import { followFromHere, readOn } from "../support/followers.js";
import { take, takeOver } from "../support/workers.js";

const RUN = "run-1";

/** Writes a finished run of five events. */
async function endedRun(store: StateStore, runId = RUN): Promise<void> {
  await store.appendEvents([eventOf(runId, "RunStarted"), ...stepsOf(runId, 3), eventOf(runId, "RunCompleted")]);
}

const archived = { runId: RUN, archived: true, events: 5 };
const left = (reason: string): object => ({ runId: RUN, archived: false, reason });

/** A1, A2: finished runs leave the hot tables and stay readable. A repeated append returns its original result. */
export const archive = clause("archive", ["archive"], {
  "A1: an ended run is archived, and reads as before": async ({ store }) => {
    await endedRun(store);
    const [before, snapshot] = [await logOf(store, RUN), await store.projectSnapshot(RUN)];
    assert.deepEqual(await store.archive.archiveRun(RUN), archived);
    assert.deepEqual(await logOf(store, RUN), before);
    assert.deepEqual(await store.fetchEvents(RUN, { afterSeq: 2, limit: 2 }), before.slice(2, 4));
    assert.deepEqual(await store.projectSnapshot(RUN), snapshot);
    assert.deepEqual(await store.fetchByKeys(RUN, [before[3]!.idempotencyKey]), [before[3]]);
  },

  "A1: its head stays as a tombstone, and is listed only on request": async ({ store }) => {
    await endedRun(store);
    await store.appendEvent(stepOf("run-2", "s1"));
    await store.archive.archiveRun(RUN);
    const ids = async (options: object): Promise<string[]> =>
      (await store.listHeads(options)).map((head) => head.runId);
    assert.deepEqual(await ids({}), ["run-2"]);
    assert.deepEqual(await ids({ archived: true }), [RUN, "run-2"]);
    const [head] = await store.fetchHeads([RUN]);
    assert.deepEqual([head?.headSeq, head?.archived, head?.leaseOwner], [5, true, null]);
  },

  "A1: a duplicate is answered from the archive, with its conflict": async ({ store }) => {
    await endedRun(store);
    await store.archive.archiveRun(RUN);
    const results = await store.appendEvents([stepOf(RUN, "s2"), stepOf(RUN, "s1", { eventData: { other: 1 } })]);
    assert.deepEqual(results, [
      { runSeq: 3, idempotent: true, persisted: false },
      { runSeq: 2, idempotent: true, persisted: false, conflict: true },
    ]);
  },

  "A1: a new event is refused, also next to a duplicate": async ({ store }) => {
    await endedRun(store);
    await store.archive.archiveRun(RUN);
    await refused(store.appendEvent(stepOf(RUN, "late")), "RUN_ARCHIVED");
    await refused(store.appendEvents([stepOf(RUN, "s1"), stepOf(RUN, "late")]), "RUN_ARCHIVED");
    const signal = eventOf(RUN, "SignalAccepted", { logicalAttemptId: "signal-1" });
    await refused(store.appendEvents([signal], { mustExist: true }), "RUN_ARCHIVED");
    assert.equal((await logOf(store, RUN)).length, 5);
  },

  "A1: archiving is resumable: a run that is archived answers so": async ({ store }) => {
    await endedRun(store);
    await store.archive.archiveRun(RUN);
    assert.deepEqual(await store.archive.archiveRun(RUN), archived);
  },

  "A1: an absent or unfinished run is not archived": async ({ store }) => {
    assert.deepEqual(await store.archive.archiveRun(RUN), left("absent"));
    await store.appendEvents([eventOf(RUN, "RunStarted"), stepOf(RUN, "s1")]);
    assert.deepEqual(await store.archive.archiveRun(RUN), left("not-terminal"));
    await store.appendEvents([eventOf(RUN, "RunFailed"), eventOf(RUN, "RunReopened", { eventData: { steps: [] } })]);
    assert.deepEqual(await store.archive.archiveRun(RUN), left("not-terminal"));
    assert.equal((await store.appendEvent(stepOf(RUN, "s2"))).runSeq, 5);
  },

  "A1: a follower that has not passed the run's head keeps it": async ({ store }) => {
    if (store.feed === undefined) return;
    const cursor = await followFromHere(store.feed, "projector");
    await endedRun(store);
    assert.deepEqual(await store.archive.archiveRun(RUN), left("followed"));
    const read = await readOn(store.feed, cursor);
    assert.deepEqual(await store.archive.archiveRun(RUN), left("followed")); // read, but not saved
    await store.feed.saveCursor(read.cursor);
    assert.deepEqual(await store.archive.archiveRun(RUN), archived);
  },

  "A1: a run that a live worker owns is left": async ({ store }) => {
    if (store.leases === undefined) return;
    await store.appendEvent(eventOf(RUN, "RunStarted"));
    const lease = await take(store.leases, "worker-1", RUN);
    await store.appendEvents([...stepsOf(RUN, 3), eventOf(RUN, "RunCompleted")], { fence: lease.epoch });
    assert.deepEqual(await store.archive.archiveRun(RUN), left("leased"));
    await store.leases.releaseLeases({ workerId: "worker-1", leases: [lease] });
    assert.deepEqual(await store.archive.archiveRun(RUN), archived);
  },

  "A1: who drives a run to its end lets go of it with that append, and lives on": async ({ store }) => {
    if (store.leases === undefined) return;
    await store.appendEvents([eventOf(RUN, "RunStarted"), ...stepsOf(RUN, 3)]);
    const { epoch } = await take(store.leases, "worker-1", RUN);
    await store.appendEvents([eventOf(RUN, "RunCompleted")], { fence: epoch, ends: true });
    const [head] = await store.fetchHeads([RUN]);
    assert.deepEqual([head?.leaseOwner, head?.leaseEpoch], [null, epoch]);
    assert.deepEqual(await store.archive.archiveRun(RUN), archived);
  },

  "A1: so does who finds its event stored beside a new one": async ({ store }) => {
    if (store.leases === undefined) return;
    await store.appendEvents([eventOf(RUN, "RunStarted"), ...stepsOf(RUN, 3)]);
    const { epoch } = await take(store.leases, "worker-1", RUN);
    await store.appendEvents([stepOf(RUN, "s3"), eventOf(RUN, "RunCompleted")], { fence: epoch, ends: true });
    assert.deepEqual(await store.archive.archiveRun(RUN), archived);
  },

  "A1 P4: an archived run is not leased again": async ({ store }) => {
    if (store.leases === undefined) return;
    await endedRun(store);
    await take(store.leases, "worker-1", RUN);
    await takeOver(store.leases, "worker-1", "worker-2", RUN);
    await store.leases.retireWorker("worker-2");
    assert.deepEqual(await store.archive.archiveRun(RUN), archived);
    await store.leases.heartbeat({ workerId: "worker-3", ttlMs: 60_000 });
    const { leases } = await store.leases.acquireLeases({ workerId: "worker-3", runIds: [RUN] });
    assert.deepEqual(leases, []);
  },

  "A1 C3: an archived run has no checkpoint, and its duplicates bring none back": async ({ store }) => {
    if (store.checkpoints === undefined) return;
    await endedRun(store);
    const checkpoint = { runId: RUN, seq: 5, format: 1, data: "state", checksum: sha256Hex("state") };
    await store.appendEvents([eventOf(RUN, "CustomAudited")], { checkpoint });
    await store.archive.archiveRun(RUN);
    assert.equal(await store.checkpoints.loadCheckpoint(RUN), null);
    await store.appendEvents([eventOf(RUN, "CustomAudited")], { checkpoint });
    assert.equal(await store.checkpoints.loadCheckpoint(RUN), null);
  },

  "A1: to another tenant an archived run is absent": async ({ store }) => {
    const acme = store.forTenant("acme");
    await acme.appendEvents([...stepsOf(RUN, 4), eventOf(RUN, "RunCancelled")]);
    await store.archive.archiveRun(RUN);
    assert.deepEqual(await logOf(store.forTenant("other"), RUN), []);
    assert.equal((await logOf(acme, RUN)).length, 5);
    await refused(store.forTenant("other").appendEvent(stepOf(RUN, "s1")), "RUN_NOT_FOUND");
  },

  "A1: concurrent appends and archiving: the run is archived as a whole or continues": async ({ store, another }) => {
    const other = await another();
    await endedRun(store);
    const late = Promise.allSettled(stepsOf(RUN, 5, 10).map((event) => store.appendEvent(event)));
    const outcomes = await Promise.all([other.archive!.archiveRun(RUN), store.archive.archiveRun(RUN)]);
    const answers = await late;
    const stored = answers.filter((answer) => answer.status === "fulfilled").length;
    const [head] = await store.fetchHeads([RUN]);
    const log = await logOf(store, RUN);
    assert.equal(log.length, 5 + stored);
    assert.equal(head?.headSeq, 5 + stored);
    assert.equal(
      head?.archived,
      outcomes.some((outcome) => outcome.archived),
    );
  },
});
