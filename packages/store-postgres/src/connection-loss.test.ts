// @module-tag L-31
/** P7: cuts the connection before and after the commit of every method, and compares the reported outcome with the real one. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { idempotencyKey, newEvent, omitUndefined, type FeedCursor, type NewEvent } from "@runledger/contracts";
import { evolveAll, initialState, toRunHeader } from "@runledger/core";
import { startCutProxy, type Cut, type CutProxy } from "@runledger/test-support/cut-proxy";
import { freshDatabase, type FreshDatabase } from "@runledger/test-support/fresh-database";
import { PostgresStore } from "./index.js";

let database: FreshDatabase;
let proxy: CutProxy;
let store: PostgresStore;
let runId = "";
let runs = 0;

beforeAll(async () => {
  database = await freshDatabase();
  proxy = await startCutProxy(database.url);
  store = await PostgresStore.open({ url: proxy.url });
});

afterAll(async () => {
  await store.close();
  await proxy.close();
  await database.drop();
});

const event = (eventType: string, stepId?: string): NewEvent =>
  newEvent({ runId, eventType, planVersion: "1", ...omitUndefined({ stepId }) });

beforeEach(async () => {
  runId = `run-${++runs}`;
  await store.appendEvents([event("RunStarted"), event("StepStarted", "a"), event("RunCompleted")]);
});

afterEach(() => store.feed.removeFollower(follower())); // a run with a follower behind it is not archived

/** A method, the text of the statement that is cut, and the result that its retry must return. */
interface Case {
  readonly statement: string;
  call(): Promise<unknown>;
  /** The result of the retry after a cut before the commit, and after it. */
  readonly retry?: { readonly before: unknown; readonly after: unknown };
}

const header = async () => toRunHeader(evolveAll(initialState(runId), await store.fetchEvents(runId)));
const follower = () => `follower-of-${runId}`;
let cursor: FeedCursor;

const writes: Record<string, Case & { prepare?(): Promise<unknown> }> = {
  appendEvent: {
    statement: "change_feed",
    call: () => store.appendEvent(event("SignalAccepted")),
    retry: {
      before: { runSeq: 4, idempotent: false, persisted: true },
      after: { runSeq: 4, idempotent: true, persisted: false },
    },
  },
  "appendEvents, both paths": {
    statement: "append_slow",
    call: () => store.appendEvents([event("RunStarted"), event("SignalAccepted")]),
    retry: {
      before: [
        { runSeq: 1, idempotent: true },
        { runSeq: 4, idempotent: false },
      ],
      after: [
        { runSeq: 1, idempotent: true },
        { runSeq: 4, idempotent: true },
      ],
    },
  },
  "leases.heartbeat": {
    statement: "runledger.workers",
    call: () => store.leases.heartbeat({ workerId: runId, ttlMs: 60_000 }),
  },
  "leases.acquireLeases": {
    statement: "SKIP LOCKED",
    prepare: () => store.leases.heartbeat({ workerId: runId, ttlMs: 60_000 }),
    call: () => store.leases.acquireLeases({ workerId: runId, runIds: [runId] }),
    retry: { before: { leases: [{ epoch: 1 }] }, after: { leases: [{ epoch: 1 }] } },
  },
  "leases.releaseLeases": {
    statement: "lease_owner = NULL",
    call: () => store.leases.releaseLeases({ workerId: runId, leases: [{ runId, epoch: 1 }] }),
  },
  "leases.retireWorker": { statement: "DELETE FROM runledger.workers", call: () => store.leases.retireWorker(runId) },
  "snapshots.saveProjection": {
    statement: "run_snapshots",
    call: async () => store.snapshots.saveProjection({ readSeq: 0, header: await header(), steps: [] }),
    retry: { before: true, after: false },
  },
  "snapshots.deleteProjection": { statement: "COMMIT", call: () => store.snapshots.deleteProjection(runId) },
  "feed.openFollower": { statement: "feed_followers", call: () => store.feed.openFollower(follower()) },
  "feed.saveCursor": {
    statement: "feed_followers",
    prepare: async () => (cursor = await store.feed.openFollower(follower())),
    call: () => store.feed.saveCursor(cursor),
    retry: { before: { version: 2 }, after: null },
  },
  "feed.removeFollower": { statement: "feed_followers", call: () => store.feed.removeFollower(follower()) },
  "feed.attend": {
    statement: "feed_members",
    call: () => store.feed.attend({ group: runId, member: "m", ttlMs: 60_000 }),
    retry: { before: ["m"], after: ["m"] },
  },
  "feed.leave": { statement: "feed_members", call: () => store.feed.leave({ group: runId, member: "m" }) },
  "feed.pruneChanges": { statement: "feed_followers", call: () => store.feed.pruneChanges() },
  "archive.archiveRun": {
    statement: "COMMIT",
    call: () => store.archive.archiveRun(runId),
    retry: { before: { archived: true, events: 3 }, after: { archived: true, events: 3 } },
  },
};

/** A server that panics has reported nothing about the commit, though it sends an error. */
const cuts = (["before", "after", "panic"] as const).flatMap((when) =>
  Object.keys(writes).map((name) => [when, name] as const),
);

test.each(cuts)(
  "a cut (%s) at the commit of %s reports OUTCOME_UNKNOWN, and a retry finds the result",
  { tags: ["R-04"] },
  async (when, name) => {
    const { statement, prepare, call, retry } = writes[name]!;
    await prepare?.();
    // A prepared statement is sent by name; a fresh connection each time makes the driver send its text.
    await store.close();
    store = await PostgresStore.open({ url: proxy.url, migrate: false });
    const cut = proxy.arm({ when, text: statement } satisfies Cut);
    await expect(call()).rejects.toMatchObject({ code: "OUTCOME_UNKNOWN", family: "retry" });
    expect(cut.happened()).toBe(true);
    const again = await call();
    const expected = retry?.[when === "panic" ? "after" : when];
    if (typeof expected === "object" && expected !== null) expect(again).toMatchObject(expected);
    else if (retry !== undefined) expect(again).toBe(expected);
    expect((await store.fetchEvents(runId)).map(({ runSeq }) => runSeq)).toEqual(
      name.startsWith("append") ? [1, 2, 3, 4] : [1, 2, 3],
    );
  },
);

const name = () => ({ tenantId: "default", scheduleId: runId });
const plan = () => ({ planId: "plan", planVersion: runId });
const definition = () =>
  ({
    timing: { everyMs: 60_000, from: "2030-01-01T00:00:00.000Z" },
    plan: { ...plan(), hash: "hash" },
    projectId: "default",
    environmentId: "default",
    priority: 0,
    catchUp: "none",
    catchUpLimit: 1,
    overlap: "allow",
    jitterMs: 0,
  }) as const;
const parked = { epoch: 0, expectedSeq: 3, wakes: 0, wakeAt: null, checkpoint: null };
const limit = { scope: "overall", subject: "" } as const;
const grant = { tenantId: "default", role: "viewer", name: "test" } as const;

/** The other methods that write. */
const otherWrites: Record<string, Case> = {
  "queue.startRun": {
    statement: "run_starts",
    call: () => {
      const queued = newEvent({ runId: `${runId}-new`, eventType: "RunQueued", ...plan() });
      const start = { tenantId: "default", startKey: runId, inputHash: "hash", logFormat: 1, priority: 0 };
      return store.queue.startRun({ ...start, event: queued });
    },
  },
  "queue.claimRuns": {
    statement: "queue_claim",
    call: () => store.queue.claimRuns({ workerId: runId, plans: [plan()], logFormat: 1, limit: 1 }),
  },
  "queue.parkRun": {
    statement: "queue_park",
    call: () => store.queue.parkRun({ ...parked, runId, workerId: runId }),
  },
  "limits.setLimit": {
    statement: "COMMIT",
    call: () => store.limits.setLimit({ ...limit, maxRunning: 5, rate: null, maxQueued: null, priority: null }),
  },
  "limits.removeLimit": { statement: "COMMIT", call: () => store.limits.removeLimit(limit) },
  "artifacts.writeChunk": {
    statement: "artifact",
    call: () =>
      store.artifacts.writeChunk({
        artifact: { uri: "store://00000000-0000-4000-8000-000000000000", runId, kind: "file" },
        chunk: 1,
        bytes: Buffer.from("a"),
      }),
  },
  "schedules.saveSchedule": {
    statement: "runledger.schedules",
    call: () => {
      const times = { pausedAt: null, nextTick: null, dueAt: null, waiting: false, last: null };
      return store.schedules.saveSchedule({ ...name(), definition: definition(), ...times }, null);
    },
  },
  "schedules.claimDue": {
    statement: "runledger.schedules",
    call: () => store.schedules.claimDue({ limit: 1, holdMs: 1000 }),
  },
  "schedules.removeSchedule": {
    statement: "runledger.schedules",
    call: () => store.schedules.removeSchedule(name()),
  },
  "access.createKey": {
    statement: "access_keys",
    call: () =>
      store.access.createKey({ ...grant, keyId: runId, secretHash: "a".repeat(64), createdBy: "test", ttlMs: null }),
  },
  "access.revokeKey": {
    statement: "access_keys",
    call: () => store.access.revokeKey({ tenantId: "default", keyId: runId }),
  },
  "access.removeSession": { statement: "access_sessions", call: () => store.access.removeSession("a".repeat(64)) },
  "access.keyUsed": { statement: "access_keys", call: () => store.access.keyUsed(runId) },
  "access.createSession": {
    statement: "access_sessions",
    call: () => store.access.createSession({ ...grant, sessionHash: runId.padEnd(64, "a"), credential: "k" }, 1000),
  },
  "plans.registerPlan": {
    statement: "runledger.plans",
    call: () => {
      const body = { steps: [], output: "load" };
      return store.plans.registerPlan({ ...plan(), hash: "a".repeat(64), body, deadlineMs: null, approval: false });
    },
  },
  "copies.writeCopies": {
    statement: "COMMIT",
    call: async () => {
      const events = (await store.fetchEvents(runId)).map((each) => ({ ...each, runId: `${runId}-copy` }));
      const copied = events.map((each) => ({ ...each, idempotencyKey: idempotencyKey(each as NewEvent) }));
      return store.copies.writeCopies([
        { runId: `${runId}-copy`, tenantId: "default", afterSeq: 0, events: copied, place: null },
      ]);
    },
  },
  "audit.recordAudit": { statement: "COMMIT", call: () => store.audit.recordAudit([]) },
  "audit.pruneAudit": { statement: "COMMIT", call: () => store.audit.pruneAudit({ olderThanMs: 1000 }) },
  "keyframes.makeKeyframes": { statement: "keyframes", call: () => store.keyframes.makeKeyframes([runId]) },
  "derived.recount": { statement: "COMMIT", call: () => store.derived.recount() },
  "derived.replaceProjection": {
    statement: "COMMIT",
    call: async () => store.derived.replaceProjection({ header: await header(), steps: [], keyframes: [] }),
  },
};

test.each(Object.keys(otherWrites))(
  "a server that panics during %s gives OUTCOME_UNKNOWN",
  { tags: ["R-04"] },
  async (method) => {
    await store.close();
    store = await PostgresStore.open({ url: proxy.url, migrate: false });
    const cut = proxy.arm({ when: "panic", text: otherWrites[method]!.statement });
    await expect(otherWrites[method]!.call()).rejects.toMatchObject({ code: "OUTCOME_UNKNOWN", family: "retry" });
    expect(cut.happened()).toBe(true);
  },
);

test("a cut before COMMIT was sent stores nothing, and the error is not OUTCOME_UNKNOWN", async () => {
  const cut = proxy.arm({ when: "after", text: "archive_copy" });
  await expect(store.archive.archiveRun(runId)).rejects.toMatchObject({ code: "STORE_UNAVAILABLE", family: "retry" });
  expect(cut.happened()).toBe(true);
  expect(await store.fetchHeads([runId])).toMatchObject([{ archived: false, headSeq: 3 }]);
  expect(await store.archive.archiveRun(runId)).toMatchObject({ archived: true });
});

const reads: Record<string, Case> = {
  fetchEvents: { statement: "fetch_events", call: () => store.fetchEvents(runId) },
  streamEvents: { statement: "fetch_events", call: () => store.streamEvents(runId)[Symbol.asyncIterator]().next() },
  fetchByKeys: { statement: "fetch_by_keys", call: () => store.fetchByKeys(runId, ["k"]) },
  fetchHeads: { statement: "fetch_heads", call: () => store.fetchHeads([runId]) },
  listHeads: { statement: "list_heads", call: () => store.listHeads() },
  getSnapshot: { statement: "snapshot_get", call: () => store.getSnapshot(runId) },
  projectSnapshot: { statement: "fetch_events", call: () => store.projectSnapshot(runId) },
  "checkpoints.loadCheckpoint": { statement: "load_checkpoint", call: () => store.checkpoints.loadCheckpoint(runId) },
  "snapshots.readProjection": {
    statement: "snapshots_read",
    call: () => store.snapshots.readProjection({ runId, stepIds: [] }),
  },
  "snapshots.listStale": { statement: "snapshots_stale", call: () => store.snapshots.listStale() },
  "index.listRuns": { statement: "runs_by_created", call: () => store.index.listRuns({ tenantId: "default" }) },
  "index.countRuns": { statement: "runs_count", call: () => store.index.countRuns({ tenantId: "default" }) },
  "feed.fetchRuns": {
    statement: "fetch_events_of_runs",
    call: () => store.feed.fetchRuns([{ runId, afterSeq: 0 }]),
  },
  "snapshots.listSteps": { statement: "snapshot_list_steps", call: () => store.snapshots.listSteps({ runId }) },
  "feed.readChanges": {
    statement: "feed_read",
    call: async () => store.feed.readChanges(await store.feed.openFollower("reader")),
  },
};

const readCuts = (["after", "panic"] as const).flatMap((when) =>
  Object.keys(reads).map((method) => [when, method] as const),
);

test.each(readCuts)("a cut (%s) during %s: STORE_UNAVAILABLE, and the retry reads", async (when, method) => {
  const { statement, call } = reads[method]!;
  const cut = proxy.arm({ when, text: statement });
  await expect(call()).rejects.toMatchObject({ code: "STORE_UNAVAILABLE", family: "retry" });
  expect(cut.happened()).toBe(true);
  await call();
});

test("P7: every caller of a batch gets OUTCOME_UNKNOWN, and their retries find the stored events", async () => {
  const cut = proxy.arm({ when: "after", text: "append_fast" });
  const events = Array.from({ length: 20 }, (_, i) =>
    newEvent({ runId: `${runId}-${i}`, eventType: "RunStarted", planVersion: "1" }),
  );
  const first = await Promise.allSettled(events.map((each) => store.appendEvent(each)));
  expect(cut.happened()).toBe(true);
  const unknown = first.filter(({ status }) => status === "rejected");
  expect(unknown.length).toBeGreaterThan(1);
  for (const outcome of unknown) expect(outcome).toMatchObject({ reason: { code: "OUTCOME_UNKNOWN" } });
  const again = await Promise.all(events.map((each) => store.appendEvent(each)));
  expect(again.map(({ runSeq, idempotent }) => ({ runSeq, idempotent }))).toEqual(
    events.map(() => ({ runSeq: 1, idempotent: true })),
  );
});

test("a cut while a large append is being sent reports OUTCOME_UNKNOWN, not a fault", async () => {
  const cut = proxy.arm({ when: "within", text: "append_fast" });
  const eventData = { text: "x".repeat(250_000) };
  const large = Array.from({ length: 60 }, (_, i) =>
    newEvent({ runId, eventType: "Noted", planVersion: "1", logicalAttemptId: String(i), eventData }),
  );
  await expect(store.appendEvents(large)).rejects.toMatchObject({ code: "OUTCOME_UNKNOWN", family: "retry" });
  expect(cut.happened()).toBe(true);
  const again = await store.appendEvents(large);
  expect(again.map(({ runSeq }) => runSeq)).toEqual(large.map((_, i) => 4 + i));
});

test("a cut while a refusal is being explained does not change the results of stored appends", async () => {
  await store.close();
  store = await PostgresStore.open({ url: proxy.url, migrate: false });
  const cut = proxy.arm({ when: "before", text: "append_slow" });
  const other = newEvent({ runId: `${runId}-other`, eventType: "RunStarted", planVersion: "1" });
  const [stored, refused] = await Promise.allSettled([
    store.appendEvents([other]),
    store.appendEvents([event("SignalAccepted")], { expectedSeq: 99 }),
  ]);
  expect(cut.happened()).toBe(true);
  expect(stored).toEqual({ status: "fulfilled", value: [{ runSeq: 1, idempotent: false, persisted: true }] });
  expect(refused).toMatchObject({ reason: { code: "OUTCOME_UNKNOWN" } });
});

test("an unreachable server gives STORE_UNAVAILABLE without the password in the message", async () => {
  const url = new URL(database.url);
  url.port = "1";
  url.password = "hunter2-hunter2";
  const refusal: unknown = await PostgresStore.open({ url: url.href }).catch((error: unknown) => error);
  expect(refusal).toMatchObject({ code: "STORE_UNAVAILABLE" });
  const { message, stack, cause } = refusal as Error;
  expect(`${message} ${stack} ${JSON.stringify(cause)}`).not.toContain("hunter2");
});
