/** P7: the line is cut in front of and behind the commit of every method; what the caller is told, and what is true. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { newEvent, type FeedCursor, type NewEvent } from "@runledger/contracts";
import { evolveAll, initialState, toRunHeader } from "@runledger/core";
import { startCutProxy, type Cut, type CutProxy } from "../../../tests/support/cut-proxy.js";
import { freshDatabase, type FreshDatabase } from "../../../tests/support/fresh-database.js";
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
  newEvent({ runId, eventType, planVersion: "1", ...(stepId === undefined ? {} : { stepId }) });

beforeEach(async () => {
  runId = `run-${++runs}`;
  await store.appendEvents([event("RunStarted"), event("StepStarted", "a"), event("RunCompleted")]);
});

afterEach(() => store.feed.removeFollower(follower())); // a run that somebody follows is not archived

/** A method, the text of the statement that is cut, and a look at what its retry must find. */
interface Case {
  readonly statement: string;
  call(): Promise<unknown>;
  /** What the retry gives after a cut before and after the commit. */
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

const cuts = (["before", "after"] as const).flatMap((when) => Object.keys(writes).map((name) => [when, name] as const));

test.each(cuts)("[L-31] cut %s the commit of %s: OUTCOME_UNKNOWN, and the retry settles it", async (when, name) => {
  const { statement, prepare, call, retry } = writes[name]!;
  await prepare?.();
  // A statement that was sent before goes by its name; as a fresh connection each time it goes by its text.
  await store.close();
  store = await PostgresStore.open({ url: proxy.url, migrate: false });
  const cut = proxy.arm({ when, text: statement } satisfies Cut);
  await expect(call()).rejects.toMatchObject({ code: "OUTCOME_UNKNOWN", family: "retry" });
  expect(cut.happened()).toBe(true);
  const again = await call();
  const expected = retry?.[when];
  if (typeof expected === "object" && expected !== null) expect(again).toMatchObject(expected);
  else if (retry !== undefined) expect(again).toBe(expected);
  expect((await store.fetchEvents(runId)).map(({ runSeq }) => runSeq)).toEqual(
    name.startsWith("append") ? [1, 2, 3, 4] : [1, 2, 3],
  );
});

test("[L-31] cut inside a transaction, before its COMMIT was sent: nothing is stored, and the caller may know it", async () => {
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

test.each(Object.keys(reads))("[L-31] cut during %s: STORE_UNAVAILABLE, and the retry reads", async (name) => {
  const { statement, call } = reads[name]!;
  const cut = proxy.arm({ when: "after", text: statement });
  await expect(call()).rejects.toMatchObject({ code: "STORE_UNAVAILABLE", family: "retry" });
  expect(cut.happened()).toBe(true);
  await call();
});

test("[L-31] P7: every caller of a batch is told; the retries of all of them find what is stored", async () => {
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

test("[L-31] cut while a large append is still being sent: OUTCOME_UNKNOWN, not a fault of the call", async () => {
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

test("[L-31] cut while a refusal is being explained: whoever was stored beside it is told so", async () => {
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

test("a server that is not there: STORE_UNAVAILABLE, and no password in the message", async () => {
  const url = new URL(database.url);
  url.port = "1";
  url.password = "hunter2-hunter2";
  const refusal: unknown = await PostgresStore.open({ url: url.href }).catch((error: unknown) => error);
  expect(refusal).toMatchObject({ code: "STORE_UNAVAILABLE" });
  const { message, stack, cause } = refusal as Error;
  expect(`${message} ${stack} ${JSON.stringify(cause)}`).not.toContain("hunter2");
});
