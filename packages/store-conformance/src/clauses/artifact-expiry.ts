import assert from "node:assert/strict";
import { sha256Hex, type RunQueuedData, type StateStore, type StoredArtifact } from "@runledger/contracts";
import { clause } from "../clause.js";
import { eventOf, logOf, stepsOf } from "../support/events.js";
import { project, queuedOf } from "../support/projecting.js";
import { startOf } from "../support/queueing.js";
import { refused } from "../support/refused.js";

type Ports = "archive" | "expiry" | "queue" | "retention";
type Store = StateStore & Required<Pick<StateStore, Ports>>;

const RULES = { tenantId: "default", rules: "b" };

async function addRun(store: StateStore, runId: string, data: Partial<RunQueuedData> = {}): Promise<StoredArtifact> {
  await store.appendEvents([queuedOf(runId, data), eventOf(runId, "RunCompleted")]);
  await project(store, runId);
  const artifact = { uri: `store://art_${runId}`, runId, kind: "rows", stepId: "s", attempt: 1 };
  const whole = { sha256: sha256Hex("rows"), sizeBytes: 4 };
  await store.artifacts!.writeChunk({ artifact, chunk: 1, bytes: Buffer.from("rows"), whole });
  return (await store.artifacts!.listArtifacts({ runId }))[0]!;
}

async function addArchived(store: Store, runId: string, data?: Partial<RunQueuedData>): Promise<StoredArtifact> {
  const artifact = await addRun(store, runId, data);
  assert.equal((await store.archive.archiveRun(runId)).archived, true);
  return artifact;
}

const expire = ({ expiry }: Store, artifact: StoredArtifact, nextInMs: number | null = null): Promise<object> =>
  expiry.expireArtifacts({ runId: artifact.runId, rules: RULES.rules, nextInMs, artifacts: [artifact] });

const kept = (runId: string, reason: string): object => ({ runId, expired: 0, reason });

async function assertReadable(store: StateStore, { uri }: StoredArtifact): Promise<void> {
  const read = await store.artifacts!.readChunks({ uri });
  assert.equal(Buffer.concat(read!.chunks).toString(), "rows");
}

/** A8: artifacts of archived runs expire, unless a run that may need them exists. Their descriptions stay. */
export const artifactExpiry = clause("artifact-expiry", ["archive", "expiry", "queue", "retention"], {
  "A8: an expired artifact is refused, listed with its description, and removed in steps": async (fixture) => {
    const store: Store = fixture.store;
    const [gone, other] = [await addArchived(store, "a"), await addArchived(store, "b")];
    assert.deepEqual(await expire(store, gone), { runId: "a", expired: 1 });
    await refused(store.artifacts!.readChunks({ uri: gone.uri }), "ARTIFACT_EXPIRED");
    const [listed] = await store.artifacts!.listArtifacts({ runId: "a" });
    const { expiredAt, ...description } = listed!;
    assert.deepEqual(description, gone);
    assert.ok(expiredAt !== undefined && expiredAt >= gone.createdAt);
    assert.deepEqual(await (await fixture.another()).expiry!.listExpired({ runId: "a" }), [{ ...gone, expiredAt }]);
    while (await store.retention.sweepDeleted());
    await refused(store.artifacts!.readChunks({ uri: gone.uri }), "ARTIFACT_EXPIRED");
    await assertReadable(store, other);
    assert.equal((await logOf(store, "a")).length, 2);
  },

  "A8: a run in the log keeps its artifacts": async ({ store }) => {
    const artifact = await addRun(store, "a");
    assert.deepEqual(await expire(store, artifact), kept("a", "not-archived"));
    await assertReadable(store, artifact);
    assert.deepEqual(await expire(store, { ...artifact, runId: "none" }), kept("none", "absent"));
  },

  "A8: a run keeps its artifacts for a fork, and for a fork of its parent": async ({ store }) => {
    await addArchived(store, "parent");
    const child = await addArchived(store, "child", { parent: { runId: "parent", stepId: "s" } });
    await addRun(store, "fork", { fork: { runId: "parent", seq: 2, from: "s" } });
    assert.deepEqual(await expire(store, child), kept("child", "forked"));
    await assertReadable(store, child);
  },

  "A8: a child keeps its artifacts while a parent is in the log": async ({ store }) => {
    await addRun(store, "top");
    await addArchived(store, "middle", { parent: { runId: "top", stepId: "s" } });
    const child = await addArchived(store, "child", { parent: { runId: "middle", stepId: "s" } });
    assert.deepEqual(await expire(store, child), kept("child", "child"));
    await store.archive.archiveRun("top");
    assert.deepEqual(await expire(store, child), { runId: "child", expired: 1 });
  },

  "A8: a fork that refers to an expired artifact is refused, any other one starts": async ({ store }) => {
    const gone = await addArchived(store, "origin");
    await expire(store, gone);
    const origin = { fork: { runId: "origin", seq: 2, from: "s" } };
    const fork = (runId: string) => ({ ...startOf(runId), event: queuedOf(runId, origin), kept: stepsOf(runId, 1) });
    await refused(store.queue.startRun({ ...fork("f1"), refersTo: ["store://art_x", gone.uri] }), "ARTIFACT_EXPIRED");
    assert.deepEqual(await logOf(store, "f1"), []);
    assert.equal((await store.queue.startRun({ ...fork("f2"), refersTo: ["store://art_x"] })).created, true);
  },

  "A8: a run is checked once under the same rules, again at its time, and again under others": async ({ store }) => {
    const { expiry } = store;
    const check = (runId: string, nextInMs: number | null): Promise<object> =>
      expiry.expireArtifacts({ runId, rules: RULES.rules, nextInMs, artifacts: [] });
    for (const runId of ["later", "never", "now"]) await addArchived(store, runId);
    await addRun(store, "open");
    const due = async (rules = RULES): Promise<string[]> => (await expiry.listToExpire(rules)).toSorted();
    assert.deepEqual(await due(), ["later", "never", "now"]);
    assert.equal((await expiry.listToExpire({ ...RULES, limit: 2 })).length, 2);
    assert.deepEqual(await due({ ...RULES, tenantId: "other" }), []);
    await check("later", 3_600_000);
    await check("never", null);
    await check("now", 0);
    await pause(5); // stores round to milliseconds
    assert.deepEqual(await due(), ["now"]);
    for (const rules of ["a", "c"]) assert.deepEqual(await due({ ...RULES, rules }), ["later", "never", "now"]);
  },

  "A8: expired content in a bucket is listed until it was removed": async ({ store }) => {
    const inStore = await addArchived(store, "a");
    const uris = ["s3://bucket/a/art_01/rows", "s3://bucket-2/a/art_02/rows", "s3://bucket/a/art_03/rows"];
    for (const uri of uris) await expire(store, { ...inStore, uri });
    await expire(store, inStore);
    const unswept = async (): Promise<string[]> =>
      (await store.expiry.listUnswept({ location: "s3://bucket" })).map(({ uri }) => uri);
    assert.deepEqual(await unswept(), [uris[0], uris[2]]);
    await store.expiry.markSwept({ uris: [uris[0]!] });
    assert.deepEqual(await unswept(), [uris[2]]);
    const deleted = await store.retention.deleteRun("a");
    assert.equal(deleted.deleted, true);
    while (await store.retention.sweepDeleted());
    assert.deepEqual([await unswept(), await store.expiry.listExpired({ runId: "a" })], [[], []]);
  },
});

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
