// @module-tag L-24
/**
 * F8 on a real server: transactions whose commits become visible in another order than their ids, transactions that are
 * rolled back, and transactions in other databases that hold xmin back.
 */
import { Client } from "pg";
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from "vitest";
import { newEvent, omitUndefined, type FeedCursor } from "@runledger/contracts";
import { startOwnServer, type FreshDatabase, type OwnServer } from "@runledger/test-support/fresh-database";
import { connect as openDatabase, type Database } from "./client.js";
import { boundFeed, boundRegularly } from "./feed-prune.js";
import { PostgresStore } from "./index.js";
import { timeLimits } from "./time-limits.js";

let server: OwnServer; // transactions of other tests on the same server would hold xmin back
let database: FreshDatabase;
let store: PostgresStore;
const clients: Client[] = [];

beforeAll(async () => void (server = await startOwnServer()));
afterAll(() => server.stop());

beforeEach(async () => {
  database = await server.freshDatabase();
  store = await PostgresStore.open({ url: database.url });
  return async () => {
    await Promise.all(clients.splice(0).map((client) => client.end()));
    await store.close();
    await database.drop();
  };
});

async function connect(url = database.url): Promise<Client> {
  const client = new Client({ connectionString: url });
  await client.connect();
  clients.push(client);
  return client;
}

/** An append that pauses between its statements, so that a test can run others in between. */
async function slowAppend(runId: string) {
  const client = await connect();
  await client.query("BEGIN");
  await client.query(
    "INSERT INTO runledger.run_heads (run_id, tenant_id, head_seq, persisted_at) VALUES ($1, 't', 1, now())",
    [runId],
  );
  return {
    announce: () =>
      client.query("INSERT INTO runledger.change_feed (run_ids, head_seqs) VALUES (ARRAY[$1], '{1}')", [runId]),
    commit: () => client.query("COMMIT"),
    rollback: () => client.query("ROLLBACK"),
  };
}

type SlowAppend = Awaited<ReturnType<typeof slowAppend>>;

async function read(cursor: FeedCursor, limit?: number): Promise<{ runs: string[]; cursor: FeedCursor }> {
  const page = await store.feed.readChanges(cursor, omitUndefined({ limit }));
  return { runs: page.changes.map(({ runId }) => runId), cursor: page.cursor };
}

const holes = (cursor: FeedCursor): readonly unknown[] => (cursor.position as { holes: unknown[] }).holes;
const append = (runId: string) => store.appendEvent(newEvent({ runId, eventType: "RunStarted", planVersion: "1" }));

test("F8: a change whose commit becomes visible late is read late, not lost", async () => {
  let cursor = await store.feed.openFollower("f");
  const [slow, quick] = [await slowAppend("slow"), await slowAppend("quick")];
  await slow.announce();
  await quick.announce();
  await quick.commit();
  const first = await read(cursor);
  expect(first.runs).toEqual(["quick"]);
  const second = await read(first.cursor);
  expect(second.runs).toEqual([]);
  await slow.commit();
  const third = await read(second.cursor);
  expect(third.runs).toEqual(["slow"]);
  expect(holes(third.cursor)).toEqual([]);
  cursor = (await store.feed.saveCursor(third.cursor))!;
  expect((await read(cursor)).runs).toEqual([]);
});

test("F8: a saved cursor keeps its holes: the next process reads a late change", { tags: ["R-12"] }, async () => {
  const [slow, quick] = [await slowAppend("slow"), await slowAppend("quick")];
  await slow.announce();
  await quick.announce();
  await quick.commit();
  const first = await read(await store.feed.openFollower("f"));
  expect(first.runs).toEqual(["quick"]);
  await store.feed.saveCursor(first.cursor);
  await slow.commit();
  expect((await read(await store.feed.openFollower("f"))).runs).toEqual(["slow"]);
});

test("F8: the transaction with the later xid may have drawn the earlier id", async () => {
  // The snapshot that first misses `late` has an xmax below its xid: dropping the hole there would lose it.
  let cursor = await store.feed.openFollower("f"); // before the others: it writes, which must not move xmax past them
  let runs: string[];
  const [early, late] = [await slowAppend("early"), await slowAppend("late")];
  await late.announce();
  await early.announce();
  await early.commit();
  ({ runs, cursor } = await read(cursor));
  expect(runs).toEqual(["early"]);
  ({ runs, cursor } = await read(cursor));
  expect(runs).toEqual([]);
  for (const runId of ["x", "y", "z"]) {
    await append(runId); // other transactions commit meanwhile, so that xmin and xmax advance
    ({ runs, cursor } = await read(cursor));
    expect(runs).toEqual([runId]);
  }
  expect(holes(cursor)).toHaveLength(1);
  await late.commit();
  ({ runs, cursor } = await read(cursor));
  expect(runs).toEqual(["late"]);
  expect(holes(cursor)).toEqual([]);
});

test("F8: the id of a rolled back transaction is dropped once no open transaction can have drawn it", async () => {
  const [lost, kept] = [await slowAppend("lost"), await slowAppend("kept")];
  await lost.announce();
  await kept.announce();
  await kept.commit();
  const first = await read(await store.feed.openFollower("f"));
  expect(holes(first.cursor)).toHaveLength(1);
  await lost.rollback();
  const second = await read(first.cursor);
  expect(second.runs).toEqual([]);
  expect(holes(second.cursor)).toEqual([]);
});

test("F8: an open write transaction in another database delays dropping and pruning, never reading", async () => {
  const elsewhere = await server.freshDatabase();
  const other = await connect(elsewhere.url);
  await other.query("CREATE TABLE t (n int)");
  await other.query("BEGIN");
  await other.query("INSERT INTO t VALUES (1)");
  const lost = await slowAppend("lost");
  await lost.announce();
  await lost.rollback();
  let cursor = await store.feed.openFollower("f");
  for (const runId of ["a", "b", "c"]) {
    await append(runId);
    const page = await read(cursor);
    expect(page.runs).toEqual([runId]);
    cursor = (await store.feed.saveCursor(page.cursor))!;
    expect(holes(cursor)).toHaveLength(1);
  }
  await other.query("COMMIT");
  const page = await read(cursor);
  expect(holes(page.cursor)).toEqual([]);
  await store.feed.saveCursor(page.cursor);
  expect(await store.feed.pruneChanges()).toBe(3);
  await other.end();
  clients.splice(clients.indexOf(other), 1);
  await elsewhere.drop();
});

test("a new follower starts before everything in the feed, including open transactions", async () => {
  const open = await slowAppend("open");
  await open.announce();
  await append("before");
  expect(await store.feed.pruneChanges()).toBe(1); // no follower exists yet
  const first = await read(await store.feed.openFollower("f"));
  expect(first.runs).toEqual([]);
  await append("after");
  const second = await read(first.cursor);
  expect(second.runs).toEqual(["after"]);
  await open.commit();
  expect((await read(second.cursor)).runs).toEqual(["open"]);
});

test("pruning keeps rows that a follower has not passed, including holes", async () => {
  const open = await slowAppend("open");
  await open.announce();
  await append("a");
  const behind = await store.feed.openFollower("behind");
  const ahead = await read(await store.feed.openFollower("ahead"));
  await store.feed.saveCursor(ahead.cursor);
  expect(await store.feed.pruneChanges()).toBe(0);
  await store.feed.saveCursor((await read(behind)).cursor);
  await open.commit();
  expect(await store.feed.pruneChanges()).toBe(1); // a; both have a hole where open was
  expect((await read(await store.feed.openFollower("behind"))).runs).toEqual(["open"]);
});

test("only one of two processes with the same follower name moves the cursor", async () => {
  await append("a");
  const [one, two] = [await store.feed.openFollower("f"), await store.feed.openFollower("f")];
  expect(await store.feed.saveCursor((await read(one)).cursor)).not.toBeNull();
  expect(await store.feed.saveCursor((await read(two)).cursor)).toBeNull();
});

test("a small limit returns all changes page by page and reports whether there are more", async () => {
  for (let i = 0; i < 5; i++) await append(`run-${i}`);
  let cursor = await store.feed.openFollower("f");
  const seen: string[] = [];
  for (let caughtUp = false; !caughtUp;) {
    const page = await store.feed.readChanges(cursor, { limit: 2 });
    seen.push(...page.changes.map(({ runId }) => runId));
    ({ cursor, caughtUp } = page);
  }
  expect(seen).toEqual(["run-0", "run-1", "run-2", "run-3", "run-4"]);
});

test("transactions commit and roll back in random order: a follower reads every commit and no rollback", async () => {
  let cursor = await store.feed.openFollower("f");
  const seen = new Set<string>();
  const follow = async (): Promise<void> => {
    const page = await read(cursor, 3);
    page.runs.forEach((runId) => seen.add(runId));
    ({ cursor } = page);
  };
  const open: { readonly runId: string; readonly transaction: SlowAppend; announced: boolean }[] = [];
  const committed = new Set<string>();
  const random = mulberry(20261114);
  for (let i = 0; i < 200; i++) {
    const picked = open[Math.floor(random() * open.length)];
    if (picked === undefined || (open.length < 8 && random() < 0.4)) {
      open.push({ runId: `run-${i}`, transaction: await slowAppend(`run-${i}`), announced: false });
    } else if (!picked.announced) {
      await picked.transaction.announce();
      picked.announced = true;
    } else {
      open.splice(open.indexOf(picked), 1);
      const commits = random() < 0.7;
      await (commits ? picked.transaction.commit() : picked.transaction.rollback());
      if (commits) committed.add(picked.runId);
    }
    await follow();
  }
  for (const { transaction } of open) await transaction.rollback();
  await append("last");
  for (let i = 0; i < 60; i++) await follow();
  expect(seen).toEqual(new Set([...committed, "last"]));
  expect(holes(cursor)).toEqual([]);
});

/** A random generator with a seed, so that the order is the same every time. */
function mulberry(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

/** Restores the feed and its sequence as they were after the change `id`, like a failover that lost what came later. */
async function loseFeedAfter(id: number): Promise<void> {
  const client = await connect();
  await client.query("DELETE FROM runledger.change_feed WHERE id > $1", [id]);
  await client.query("SELECT setval('runledger.change_feed_id_seq', $1)", [id]);
}

async function appendAll(name: string, count: number): Promise<void> {
  for (let n = 0; n < count; n++) await append(`${name}-${n}`);
}

test(
  "F8: a cursor above the end of the feed is reported, and its follower starts again",
  { tags: ["R-09"] },
  async () => {
    const cursor = await store.feed.openFollower("f");
    await appendAll("kept", 3);
    await appendAll("lost", 3);
    const passed = await read(cursor);
    await store.feed.saveCursor(passed.cursor);
    await loseFeedAfter(3);
    await appendAll("new", 2);
    expect(await store.feed.readChanges(passed.cursor)).toMatchObject({ isReset: true, changes: [] });
    const again = await store.feed.openFollower("f");
    expect(again.version).toBe(1); // as a follower that must list the heads
    expect((await read(again)).runs).toEqual(["kept-0", "kept-1", "kept-2", "new-0", "new-1"]);
  },
);

test("F8: ids that were drawn a second time are reported, also if the feed grew above the cursor", async () => {
  await appendAll("kept", 3);
  const saved = (await store.feed.saveCursor((await read(await store.feed.openFollower("f"))).cursor))!;
  await appendAll("lost", 3);
  const passed = await read(saved);
  await loseFeedAfter(3);
  await appendAll("new", 5);
  expect(await store.feed.readChanges(passed.cursor)).toMatchObject({ isReset: true, changes: [] });
  expect((await read(await store.feed.openFollower("f"))).runs).toEqual(["new-0", "new-1", "new-2", "new-3", "new-4"]);
});

test("F8: a lost change is reported although the sequence did not go back", async () => {
  await appendAll("run", 3);
  const cursor = await store.feed.openFollower("f");
  const passed = await read(cursor);
  const client = await connect();
  await client.query("DELETE FROM runledger.change_feed WHERE id = 3"); // a replica's sequence may be 32 ids ahead
  expect(await store.feed.readChanges(passed.cursor)).toMatchObject({ isReset: true });
});

test("F8: a cursor whose last change was pruned continues", async () => {
  await appendAll("run", 3);
  const saved = (await store.feed.saveCursor((await read(await store.feed.openFollower("f"))).cursor))!;
  expect(await store.feed.pruneChanges()).toBe(3);
  await append("later");
  for (const from of [saved, await store.feed.openFollower("f")]) {
    const page = await store.feed.readChanges(from);
    expect(page.isReset).toBeUndefined();
    expect(page.changes.map(({ runId }) => runId)).toEqual(["later"]);
  }
});

async function feedRows(): Promise<number> {
  const { rows } = await (await connect()).query<{ n: number }>("SELECT count(*)::int AS n FROM runledger.change_feed");
  return rows[0]!.n;
}

async function ownDatabase(): Promise<Database> {
  const db = await openDatabase({
    url: database.url,
    poolSize: 1,
    connectTimeoutMs: 30_000,
    ...timeLimits(database.url, {}),
  });
  onTestFinished(() => db.close());
  return db;
}

test("without followers the feed keeps a bounded number of changes", { tags: ["R-07"] }, async () => {
  const db = await ownDatabase();
  await appendAll("run", 12);
  await boundFeed(db, 5);
  expect(await feedRows()).toBe(5);
});

test("a follower that is gone does not keep the feed from being bounded; one that is alive does", async () => {
  const [db, client] = [await ownDatabase(), await connect()];
  for (const follower of ["gone", "recent", "projector/0"]) {
    const { cursor } = await read(await store.feed.openFollower(follower));
    await store.feed.saveCursor(cursor);
  }
  await appendAll("run", 12);
  const silence =
    "UPDATE runledger.feed_followers SET updated_at = now() - interval '2 hours' WHERE follower <> 'recent'";
  await client.query(silence);
  await store.feed.attend({ group: "projector", member: "m", ttlMs: 60_000 });
  await boundFeed(db, 5);
  expect(await Promise.all(["gone", "recent", "projector/0"].map((name) => isFollower(name)))).toEqual([
    false,
    true,
    true,
  ]);
  expect(await feedRows()).toBe(12);
  await store.feed.leave({ group: "projector", member: "m" });
  await store.feed.removeFollower("recent");
  await boundFeed(db, 5);
  expect(await isFollower("projector/0")).toBe(false);
  expect(await feedRows()).toBe(5);
});

const isFollower = async (name: string): Promise<boolean> => (await store.feed.findFollower(name)).version > 0;

test("appends bound the feed from time to time", async () => {
  const db = await ownDatabase();
  await appendAll("run", 3);
  await (await connect()).query("SELECT setval('runledger.change_feed_id_seq', 1000000)");
  const send = boundRegularly(db, () => {});
  for (let batch = 0; batch < 5000; batch++) send();
  await expect.poll(feedRows).toBe(0);
});

test("pruning among many holes looks up each change once", { tags: ["R-07"] }, async () => {
  const client = await connect();
  const [rows, followers] = [20_000, 8];
  await client.query(
    "INSERT INTO runledger.change_feed (run_ids, head_seqs) SELECT '{r}', '{1}' FROM generate_series(1, $1)",
    [rows],
  );
  const missing =
    "SELECT jsonb_agg(jsonb_build_object('from', n, 'to', n, 'xid', 9)) FROM generate_series(2, $1::bigint, 2) n";
  await client.query(
    `INSERT INTO runledger.feed_followers (follower, version, last_id, missing)
     SELECT 'projector/' || f, 2, $1::bigint, (${missing}) FROM generate_series(1, ${followers}) f`,
    [rows],
  );
  expect(await store.feed.pruneChanges()).toBe(rows / 2);
  expect(await feedRows()).toBe(rows / 2);
});
