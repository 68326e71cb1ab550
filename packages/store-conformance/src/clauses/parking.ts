import assert from "node:assert/strict";
import { sha256Hex, type HeldRun, type SeqMismatchError, type StaleLeaseError } from "@runledger/contracts";
import { clause } from "../clause.js";
import { eventOf } from "../support/events.js";
import {
  act,
  claim,
  claimIds,
  park,
  PLAN,
  signal,
  startAll,
  startOf,
  WORKER,
  type QueueStore,
} from "../support/queueing.js";
import { refused } from "../support/refused.js";

const inOneHour = (): string => new Date(Date.now() + 3_600_000).toISOString();

async function heldBy(store: QueueStore, workerId = WORKER): Promise<string[]> {
  return (await store.queue.heldRuns(workerId)).runs.map(({ runId, epoch }) => `${runId} ${epoch}`);
}

async function startedBy(store: QueueStore, workerId: string): Promise<HeldRun> {
  await startAll(store, ["run-1"]);
  const [held] = await claim(store, 1, workerId);
  return held!;
}

/** O2: a run is parked only by its owner, at the head that was folded and the wake-ups that were seen. */
export const parking = clause("parking", ["queue", "leases", "limits"], {
  "O2 P4: a worker that lost the run cannot park it under its new owner": async ({ store }) => {
    const lost = await startedBy(store, "dying");
    await store.leases.retireWorker("dying");
    const [taken] = await claim(store, 1);
    const error = await refused<StaleLeaseError>(park(store, lost), "STALE_LEASE");
    assert.deepEqual([error.runId, error.heldEpoch, error.currentEpoch], ["run-1", lost.epoch, taken!.epoch]);
    assert.deepEqual(await heldBy(store), [`run-1 ${taken!.epoch}`]);
    assert.deepEqual(await claimIds(store), []);
    await store.appendEvents([eventOf("run-1", "RunStarted", PLAN)], { fence: taken!.epoch });
  },

  "O2: a run that another writer appended to is not parked, and keeps its owner": async ({ store }) => {
    const held = await startedBy(store, WORKER);
    await signal(store, "run-1");
    const error = await refused<SeqMismatchError>(park(store, held), "SEQ_MISMATCH");
    assert.deepEqual([error.runId, error.expectedSeq, error.headSeq], ["run-1", 1, 2]);
    assert.deepEqual(await heldBy(store), ["run-1 1"]);
    await park(store, { ...held, headSeq: 2, wakes: held.wakes + 1 });
    assert.deepEqual(await claimIds(store), [], "it waits until it is woken");
  },

  "O2: a run that was woken without an event is due immediately, even if it waits for a time": async ({ store }) => {
    await startAll(store, ["parent", "child"]);
    const runs = await claim(store);
    const [parent, child] = ["parent", "child"].map((runId) => runs.find((run) => run.runId === runId));
    await store.appendEvents([eventOf("child", "RunCompleted", PLAN)], {
      fence: child!.epoch,
      ends: true,
      wakes: ["parent"],
    });
    await park(store, parent!, inOneHour());
    const [again] = await claim(store);
    assert.deepEqual([again?.runId, again?.wakes], ["parent", parent!.wakes + 1]);
    await park(store, again!, inOneHour());
    assert.deepEqual(await claimIds(store), [], "it has seen the wake-up");
  },

  "O2: a run that does not exist is not parked": async ({ store }) => {
    const at = { workerId: WORKER, runId: "absent", epoch: 1, expectedSeq: 1, wakes: 0 };
    await refused(store.queue.parkRun({ ...at, wakeAt: null, checkpoint: null }), "RUN_NOT_FOUND");
  },

  "Q2: a released run keeps its operator waiting, but not before its time": async ({ store }) => {
    await startAll(store, ["run-1"]);
    await act(store, "run-1");
    const [held] = await claim(store, 0);
    const { runId, epoch, headSeq: expectedSeq, wakes } = held!;
    const at = { workerId: WORKER, runId, epoch, expectedSeq, wakes, checkpoint: null, unanswered: true };
    await store.queue.parkRun({ ...at, wakeAt: inOneHour() });
    assert.deepEqual(await claimIds(store, 0), []);
    assert.equal((await store.queue.inspectRun("run-1"))?.entry.acts, true);
  },

  "C2 O2: a run that is parked with an older checkpoint keeps the newer one": async ({ store }) => {
    if (store.checkpoints === undefined) return;
    const held = await startedBy(store, WORKER);
    const at = (seq: number) => ({
      runId: "run-1",
      seq,
      format: 1,
      data: `at ${seq}`,
      checksum: sha256Hex(`at ${seq}`),
    });
    await store.appendEvents([eventOf("run-1", "RunStarted", PLAN)], { fence: held.epoch, checkpoint: at(1) });
    const { runId, epoch, wakes } = held;
    const params = { workerId: WORKER, runId, epoch, expectedSeq: 2, wakes, wakeAt: null };
    await store.queue.parkRun({ ...params, checkpoint: at(0) });
    assert.deepEqual(await store.checkpoints.loadCheckpoint("run-1"), at(1));
    await store.queue.parkRun({ ...params, checkpoint: at(2) });
    assert.deepEqual(await store.checkpoints.loadCheckpoint("run-1"), at(2));
  },

  "D9: a child is started only under the epoch of its parent's owner": async ({ store }) => {
    const lost = await startedBy(store, "dying");
    await store.leases.retireWorker("dying");
    const [taken] = await claim(store, 1);
    const child = (epoch: number) => startOf("child", { parent: { runId: "run-1", epoch } });
    await refused(store.queue.startRun(child(lost.epoch)), "STALE_LEASE");
    assert.deepEqual(await store.fetchHeads(["child"]), []);
    assert.equal((await store.queue.startRun(child(taken!.epoch))).created, true);
  },

  "O2: a repeated append does not repeat its wake-up": async ({ store }) => {
    const held = await startedBy(store, WORKER);
    const event = eventOf("run-1", "SignalAccepted", { ...PLAN, logicalAttemptId: "signal-1" });
    for (let time = 0; time < 3; time++) await store.appendEvents([event], { mustExist: true, wakes: ["run-1"] });
    const { runs } = await store.queue.heldRuns(WORKER);
    assert.deepEqual(
      runs.map(({ wakes }) => wakes - held.wakes),
      [1],
    );
  },

  "O2: an append with one repeated and one new event wakes its run once": async ({ store }) => {
    const held = await startedBy(store, WORKER);
    const [first, second] = ["signal-1", "signal-2"].map((logicalAttemptId) =>
      eventOf("run-1", "SignalAccepted", { ...PLAN, logicalAttemptId }),
    );
    await store.appendEvents([first!], { mustExist: true });
    await store.appendEvents([first!, second!], { mustExist: true, wakes: ["run-1"] });
    const { runs } = await store.queue.heldRuns(WORKER);
    assert.deepEqual(
      runs.map(({ wakes }) => wakes - held.wakes),
      [1],
    );
  },
});
