import assert from "node:assert/strict";
import { sha256Hex, type RetentionPolicy, type RunQueuedData, type StateStore } from "@runledger/contracts";
import { clause } from "../clause.js";
import { eventOf, logOf } from "../support/events.js";
import { project, queuedOf } from "../support/projecting.js";
import { startOf } from "../support/queueing.js";
import { refused } from "../support/refused.js";

type Ports = "archive" | "copies" | "derived" | "index" | "outbox" | "queue" | "retention";
type Store = StateStore & Required<Pick<StateStore, Ports>>;

const DAY = 24 * 3_600_000;
const policyOf = (parts: Partial<RetentionPolicy>): RetentionPolicy => ({
  kind: "runs",
  tenantId: "*",
  workflowId: "*",
  archiveAfterMs: null,
  deleteAfterMs: null,
  ...parts,
});

type Parts = Partial<RunQueuedData> & { readonly planId?: string; readonly daysAgo?: number };

/** Writes and projects a run that finished some days ago. */
async function finished(store: StateStore, runId: string, { planId, daysAgo = 1, ...data }: Parts = {}): Promise<void> {
  const emittedAt = new Date(Date.now() - daysAgo * DAY).toISOString();
  const queued = queuedOf(runId, { createdAt: emittedAt, ...data, ...(planId !== undefined && { planId }) });
  const end = eventOf(runId, "RunCompleted", { emittedAt });
  await store.forTenant(data.tenantId ?? "default").appendEvents([queued, end]);
  await project(store, runId);
}

const due = async ({ retention }: Store, archived: boolean, days = 0, workflowId = "plan"): Promise<string[]> => {
  const runs = await retention.listDue({ tenantId: "default", workflowId, archived, olderThanMs: days * DAY });
  return runs.map(({ runId }) => runId);
};

async function addArchived(store: Store, runId: string, parts?: Parts): Promise<void> {
  await finished(store, runId, parts);
  assert.equal((await store.archive.archiveRun(runId)).archived, true);
}

async function deleted(store: Store, runId: string): Promise<void> {
  assert.deepEqual(await store.retention.deleteRun(runId), { runId, deleted: true });
  while (await store.retention.sweepDeleted());
}

const kept = (runId: string, reason: string): object => ({ runId, deleted: false, reason });

/** A5: policies are data; archived runs are deleted with everything that belongs to them, unless a run needs them. */
export const retention = clause(
  "retention",
  ["archive", "copies", "derived", "index", "outbox", "queue", "retention"],
  {
    "A5: policies are read back as they were set, also by another process": async ({ store, another }) => {
      const orders = policyOf({ tenantId: "acme", workflowId: "orders", archiveAfterMs: DAY, deleteAfterMs: 2 * DAY });
      const audit = policyOf({ kind: "audit", deleteAfterMs: 30 * DAY });
      for (const policy of [orders, audit, policyOf({ archiveAfterMs: 0 }), policyOf({ deleteAfterMs: 5 })])
        await store.retention.setPolicy(policy);
      const stored = [audit, policyOf({ deleteAfterMs: 5 }), orders];
      assert.deepEqual(await (await another()).retention!.listPolicies(), stored);
      assert.equal(await store.retention.removePolicy(orders), true);
      assert.equal(await store.retention.removePolicy(orders), false);
      assert.equal((await store.retention.listPolicies()).length, 2);
    },

    "A5: a policy that could not be executed is refused": async ({ store }) => {
      const bad: readonly Partial<RetentionPolicy>[] = [
        { kind: "runs", archiveAfterMs: 2, deleteAfterMs: 1 },
        { kind: "startKeys", archiveAfterMs: 1 },
        { kind: "deadLetters", workflowId: "orders" },
        { kind: "audit", tenantId: "acme" },
        { kind: "other" as "runs" },
        { deleteAfterMs: -1 },
        { workflowId: "é".repeat(121) },
      ];
      for (const parts of bad) await refused(store.retention.setPolicy(policyOf(parts)), "OPTION_INVALID");
      assert.deepEqual(await store.retention.listPolicies(), []);
    },

    "A5: finished runs are listed per tenant and workflow, the oldest first": async ({ store }) => {
      await finished(store, "b", { daysAgo: 3 });
      await finished(store, "a", { daysAgo: 2 });
      await finished(store, "c", { daysAgo: 1 });
      await finished(store, "o", { planId: "orders", tenantId: "acme" });
      await store.appendEvent(queuedOf("open", {}));
      await project(store, "open");
      const groups = [
        { tenantId: "acme", workflowId: "orders" },
        { tenantId: "default", workflowId: "plan" },
      ];
      assert.deepEqual(await store.retention.listGroups(), groups);
      assert.deepEqual(await store.retention.listGroups({ limit: 1 }), groups.slice(0, 1));
      assert.deepEqual(await store.retention.listGroups({ after: groups[0]! }), groups.slice(1));
      assert.deepEqual(await store.retention.listGroups({ tenantId: "acme" }), groups.slice(0, 1));
      assert.deepEqual(await due(store, false), ["b", "a", "c"]);
      assert.deepEqual(await due(store, false, 1.5), ["b", "a"]);
      const [first] = await store.retention.listDue({ ...groups[1]!, archived: false, olderThanMs: 0, limit: 1 });
      const rest = await store.retention.listDue({ ...groups[1]!, archived: false, olderThanMs: 0, after: first! });
      assert.deepEqual([first!.runId, ...rest.map(({ runId }) => runId)], ["b", "a", "c"]);
    },

    "A5: an archived run is listed as such, and a damaged one not at all": async ({ store }) => {
      await addArchived(store, "a", { daysAgo: 2 });
      await finished(store, "b", { daysAgo: 1 });
      assert.deepEqual([await due(store, false), await due(store, true)], [["b"], ["a"]]);
      await store.retention.holdRun("b");
      assert.deepEqual(await due(store, false), []);
    },

    "A5: a run is deleted with its log, projection, index row, counters and artifacts": async ({ store }) => {
      await addArchived(store, "keep");
      await finished(store, "gone", { labels: { team: "a" } });
      const artifact = { uri: "store://a1", runId: "gone", kind: "log" };
      const whole = { sha256: sha256Hex("x"), sizeBytes: 1 };
      if (store.artifacts) await store.artifacts.writeChunk({ artifact, chunk: 1, bytes: Buffer.from("x"), whole });
      await store.archive.archiveRun("gone");
      await deleted(store, "gone");
      assert.deepEqual(await logOf(store, "gone"), []);
      assert.deepEqual(await store.fetchHeads(["gone"]), []);
      assert.equal(await store.getSnapshot("gone"), null);
      assert.deepEqual(await store.derived.listDerived({ afterRunId: "", limit: 10 }), ["keep"]);
      const { head, header, steps, checkpoint, place, indexRow } = await store.derived.readDerived("gone");
      assert.deepEqual([head, header, steps, checkpoint, place, indexRow], [null, null, [], null, null, null]);
      assert.equal((await store.index.countRuns({ tenantId: "default" })).COMPLETED, 1);
      assert.equal(await store.derived.wrongCounts(), 0);
      if (store.artifacts) assert.equal(await store.artifacts.readChunks({ uri: artifact.uri }), null);
      assert.deepEqual((await store.index.listRuns({ tenantId: "default", labels: { team: "a" } })).runs, []);
      assert.deepEqual(await store.retention.deleteRun("gone"), kept("gone", "absent"));
      assert.equal((await logOf(store, "keep")).length, 2);
    },

    "A5: only an archived run is deleted": async ({ store }) => {
      await finished(store, "a");
      assert.deepEqual(await store.retention.deleteRun("a"), kept("a", "not-archived"));
      assert.equal((await logOf(store, "a")).length, 2);
    },

    "A5: a child is kept as long as its parent": async ({ store }) => {
      await finished(store, "parent");
      await addArchived(store, "child", { parent: { runId: "parent", stepId: "s" } });
      assert.deepEqual(await store.retention.deleteRun("child"), kept("child", "child"));
      assert.deepEqual(await due(store, true), [], "it is set aside");
      await store.archive.archiveRun("parent");
      await deleted(store, "parent");
      assert.deepEqual(await due(store, true), ["child"]);
      await deleted(store, "child");
    },

    "A5: a run is kept as long as a fork of it": async ({ store }) => {
      await addArchived(store, "origin", { daysAgo: 3 });
      for (const runId of ["fork-1", "fork-2"])
        await addArchived(store, runId, { fork: { runId: "origin", seq: 2, from: "s" } });
      for (const fork of ["fork-1", "fork-2"]) {
        assert.deepEqual(await store.retention.deleteRun("origin"), kept("origin", "forked"));
        await deleted(store, fork);
        assert.equal((await due(store, true))[0], "origin");
      }
      await deleted(store, "origin");
    },

    "A5: a run is kept until its subscriptions have received it": async ({ store }) => {
      const definition = { bus: { type: "memory" }, filter: {}, maxAttempts: 3 };
      await store.outbox.createSubscription({ tenantId: "default", subscriptionId: "s", definition, startsAt: null });
      await addArchived(store, "a");
      await store.outbox.recordChanges([{ runId: "a", headSeq: 2 }]);
      assert.deepEqual(await store.retention.deleteRun("a"), kept("a", "undelivered"));
      assert.deepEqual(await due(store, true), ["a"], "the next pass tries again");
      const [claimed] = await store.outbox.claimDeliveries({ token: "t", holdMs: 1000, perSubscription: 1 });
      const { number, runId, token } = claimed!;
      await store.outbox.saveDeliveries([{ number, runId, token, deliveredSeq: 2, isAccepted: true }]);
      await deleted(store, "a");
    },

    "A5: a repeated request starts no second run while its key is kept": async ({ store }) => {
      await store.queue.startRun(startOf("first", { startKey: "key" }));
      await store.appendEvents([eventOf("first", "RunCompleted")], { ends: true });
      await project(store, "first");
      await store.archive.archiveRun("first");
      await deleted(store, "first");
      await refused(store.queue.startRun(startOf("second", { startKey: "key" })), "RUN_DELETED");
      await store.retention.purge();
      await refused(store.queue.startRun(startOf("second", { startKey: "key" })), "RUN_DELETED");
      await store.retention.setPolicy(policyOf({ kind: "startKeys", tenantId: "other", deleteAfterMs: 0 }));
      await store.retention.setPolicy(policyOf({ kind: "startKeys", deleteAfterMs: DAY }));
      assert.equal((await store.retention.purge()).startKeys, 0);
      await store.retention.setPolicy(policyOf({ kind: "startKeys", tenantId: "default", deleteAfterMs: 0 }));
      await pause(5);
      assert.equal((await store.retention.purge()).startKeys, 1);
      assert.equal((await store.queue.startRun(startOf("second", { startKey: "key" }))).created, true);
    },

    "A5: dead letters are dropped by their own policy": async ({ store }) => {
      const definition = { bus: { type: "memory" }, filter: {}, maxAttempts: 3 };
      await store.outbox.createSubscription({ tenantId: "default", subscriptionId: "s", definition, startsAt: null });
      await finished(store, "a");
      await store.outbox.recordChanges([{ runId: "a", headSeq: 2 }]);
      const [claimed] = await store.outbox.claimDeliveries({ token: "t", holdMs: 1000, perSubscription: 1 });
      const { number, runId, token } = claimed!;
      const failure = { message: "no", attempts: 3, retryInMs: 0, isDead: true };
      await store.outbox.saveDeliveries([{ number, runId, token, deliveredSeq: 0, failure }]);
      await store.retention.setPolicy(policyOf({ kind: "deadLetters", deleteAfterMs: DAY }));
      assert.equal((await store.retention.purge()).deadLetters, 0);
      await store.retention.setPolicy(policyOf({ kind: "deadLetters", deleteAfterMs: 0 }));
      await pause(5);
      assert.equal((await store.retention.purge()).deadLetters, 1);
      assert.deepEqual(await store.outbox.listDeadLetters({ tenantId: "default" }), []);
    },

    "A5: a deleted run can be imported again": async ({ store }) => {
      await addArchived(store, "a");
      const events = await logOf(store, "a");
      await deleted(store, "a");
      const copy = { runId: "a", tenantId: "default", afterSeq: 0, events, place: null };
      await store.copies.writeCopies([copy]);
      assert.deepEqual(await logOf(store, "a"), events);
      await project(store, "a");
      await store.archive.archiveRun("a");
      await deleted(store, "a");
    },
  },
);

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
