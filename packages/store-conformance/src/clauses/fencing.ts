import assert from "node:assert/strict";
import type { StaleLeaseError } from "@runledger/contracts";
import { clause } from "../clause.js";
import { eventOf, logOf, stepOf } from "../support/events.js";
import { refused, refusedInput } from "../support/refused.js";
import { take, takeOver } from "../support/workers.js";

const RUN = "run-1";
const started = eventOf(RUN, "RunStarted");

/** P4: an engine's append carries the epoch of its lease, and is refused after another worker has taken over. */
export const fencing = clause("fencing", ["leases"], {
  "P4: the owner's epoch lets its appends through": async ({ store }) => {
    await store.appendEvent(started);
    const { epoch } = await take(store.leases, "worker-1", RUN);
    const results = await store.appendEvents([stepOf(RUN, "load")], { fence: epoch });
    assert.deepEqual(results, [{ runSeq: 2, idempotent: false, persisted: true }]);
  },

  "P4: after a take-over the old owner writes nothing more": async ({ store }) => {
    await store.appendEvent(started);
    const old = await take(store.leases, "worker-1", RUN);
    const current = await takeOver(store.leases, "worker-1", "worker-2", RUN);
    const call = store.appendEvents([stepOf(RUN, "load"), stepOf(RUN, "save")], { fence: old.epoch });
    const error = await refused<StaleLeaseError>(call, "STALE_LEASE");
    assert.deepEqual([error.runId, error.heldEpoch, error.currentEpoch], [RUN, old.epoch, current.epoch]);
    assert.equal((await logOf(store, RUN)).length, 1);
    await store.appendEvents([stepOf(RUN, "load")], { fence: current.epoch });
  },

  "P4: an epoch that was not granted yet is refused": async ({ store }) => {
    await store.appendEvent(started);
    const { epoch } = await take(store.leases, "worker-1", RUN);
    await refused(store.appendEvents([stepOf(RUN, "load")], { fence: epoch + 1 }), "STALE_LEASE");
    assert.equal((await logOf(store, RUN)).length, 1);
  },

  "P4: an engine's event without an epoch is refused once the run was leased": async ({ store }) => {
    await store.appendEvents([started, stepOf(RUN, "free")]);
    await take(store.leases, "worker-1", RUN);
    const error = await refused<StaleLeaseError>(store.appendEvent(stepOf(RUN, "load")), "STALE_LEASE");
    assert.equal(error.heldEpoch, null);
    assert.equal((await logOf(store, RUN)).length, 2);
  },

  "P4: signals, a reopening and unknown types come without an epoch": async ({ store }) => {
    await store.appendEvent(started);
    await take(store.leases, "worker-1", RUN);
    await store.appendEvents([
      eventOf(RUN, "SignalAccepted", { logicalAttemptId: "signal-1" }),
      eventOf(RUN, "SignalRejected", { logicalAttemptId: "signal-2" }),
      eventOf(RUN, "RunReopened", { eventData: { steps: [] } }),
      eventOf(RUN, "CustomAudited"),
    ]);
    assert.equal((await logOf(store, RUN)).length, 5);
  },

  "P4 P1: one engine's event among signals, and the whole call needs the epoch": async ({ store }) => {
    await store.appendEvent(started);
    await take(store.leases, "worker-1", RUN);
    const signal = eventOf(RUN, "SignalAccepted", { logicalAttemptId: "signal-1" });
    await refused(store.appendEvents([signal, stepOf(RUN, "load")]), "STALE_LEASE");
    assert.equal((await logOf(store, RUN)).length, 1);
  },

  "P4: a signal under a stale epoch is refused: its sender believes to own the run": async ({ store }) => {
    await store.appendEvent(started);
    const old = await take(store.leases, "worker-1", RUN);
    await takeOver(store.leases, "worker-1", "worker-2", RUN);
    const signal = eventOf(RUN, "SignalAccepted", { logicalAttemptId: "signal-1" });
    await refused(store.appendEvents([signal], { fence: old.epoch }), "STALE_LEASE");
  },

  "P4 K5: the old owner's retry finds what it had stored": async ({ store }) => {
    await store.appendEvent(started);
    const old = await take(store.leases, "worker-1", RUN);
    await store.appendEvents([stepOf(RUN, "load")], { fence: old.epoch });
    await takeOver(store.leases, "worker-1", "worker-2", RUN);
    const results = await store.appendEvents([stepOf(RUN, "load")], { fence: old.epoch });
    assert.deepEqual(results, [{ runSeq: 2, idempotent: true, persisted: false }]);
  },

  "P4: a released run still refuses an append without an epoch": async ({ store }) => {
    await store.appendEvent(started);
    const { epoch } = await take(store.leases, "worker-1", RUN);
    await store.leases.releaseLeases({ workerId: "worker-1", leases: [{ runId: RUN, epoch }] });
    await refused(store.appendEvent(stepOf(RUN, "load")), "STALE_LEASE");
    await store.appendEvents([stepOf(RUN, "load")], { fence: epoch }); // no worker took over
  },

  "P4 P5: an epoch implies that the run is there": async ({ store }) => {
    await refused(store.appendEvents([stepOf(RUN, "load")], { fence: 1 }), "RUN_NOT_FOUND");
    assert.deepEqual(await store.fetchHeads([RUN]), []);
  },

  "P4: a value that is not an epoch is refused": async ({ store }) => {
    await store.appendEvent(started);
    for (const fence of [0, -1, 1.5, Number.NaN, "1" as unknown as number])
      await refusedInput(store.appendEvents([stepOf(RUN, "load")], { fence }), "OPTION_INVALID", "options.fence");
    const events = [stepOf(RUN, "load"), stepOf("run-2", "load")];
    await refusedInput(store.appendEvents(events, { fence: 1 }), "OPTION_INVALID", "options");
    assert.equal((await logOf(store, RUN)).length, 1);
  },

  "P4 P6: owners of many runs and a stale one in one batch: only the stale one is refused": async ({ store }) => {
    const runIds = ["run-a", "run-b", "run-c", "run-d"];
    await Promise.all(runIds.map((runId) => store.appendEvent(eventOf(runId, "RunStarted"))));
    const leases = await Promise.all(runIds.map((runId) => take(store.leases, `${runId}-worker`, runId)));
    await takeOver(store.leases, "run-b-worker", "other", "run-b");
    const calls = leases.map(({ runId, epoch }) => store.appendEvents([stepOf(runId, "load")], { fence: epoch }));
    const answers = await Promise.allSettled(calls);
    assert.deepEqual(
      answers.map((answer) => answer.status),
      ["fulfilled", "rejected", "fulfilled", "fulfilled"],
    );
  },
});
