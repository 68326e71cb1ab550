/**
 * F8 on the real thing: transactions whose commits become visible in another order than their ids were drawn, ones
 * that are rolled back, and ones elsewhere that keep xmin from moving.
 */
import { Client } from "pg";
import { beforeEach, expect, test } from "vitest";
import { newEvent, type FeedCursor } from "@runledger/contracts";
import { freshDatabase, type FreshDatabase } from "../../../tests/support/fresh-database.js";
import { PostgresStore } from "./index.js";

let database: FreshDatabase;
let store: PostgresStore;
const clients: Client[] = [];

beforeEach(async () => {
  database = await freshDatabase();
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

/** An append that stops between its statements, so that a test can put others in between. */
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
  const page = await store.feed.readChanges(cursor, limit === undefined ? {} : { limit });
  return { runs: page.changes.map(({ runId }) => runId), cursor: page.cursor };
}

const holes = (cursor: FeedCursor): readonly unknown[] => (cursor.position as { holes: unknown[] }).holes;
const append = (runId: string) => store.appendEvent(newEvent({ runId, eventType: "RunStarted", planVersion: "1" }));

test("[L-24] F8: a change whose commit becomes visible late is seen late, not lost", async () => {
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

test("[L-24] F8: the transaction with the later xid may have drawn the earlier id", async () => {
  // The snapshot that first misses `late` has an xmax below its xid: to give the hole up there would lose it.
  let cursor = await store.feed.openFollower("f"); // before the others: it writes, and must not move xmax past them
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
    await append(runId); // others come and go meanwhile, so that xmin and xmax move on
    ({ runs, cursor } = await read(cursor));
    expect(runs).toEqual([runId]);
  }
  expect(holes(cursor)).toHaveLength(1);
  await late.commit();
  ({ runs, cursor } = await read(cursor));
  expect(runs).toEqual(["late"]);
  expect(holes(cursor)).toEqual([]);
});

test("[L-24] F8: what was rolled back is given up, once nobody can have it any more", async () => {
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

test("[L-24] F8: an open write transaction in another database delays only giving up and pruning, never reading", async () => {
  const elsewhere = await freshDatabase();
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

test("[L-24] a new follower starts behind everything that is still in the feed, open transactions included", async () => {
  const open = await slowAppend("open");
  await open.announce();
  await append("before");
  expect(await store.feed.pruneChanges()).toBe(1); // nobody follows yet
  const first = await read(await store.feed.openFollower("f"));
  expect(first.runs).toEqual([]);
  await append("after");
  const second = await read(first.cursor);
  expect(second.runs).toEqual(["after"]);
  await open.commit();
  expect((await read(second.cursor)).runs).toEqual(["open"]);
});

test("[L-24] pruning leaves what some follower has not passed, holes included", async () => {
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

test("[L-24] of two processes with one name only one moves the cursor", async () => {
  await append("a");
  const [one, two] = [await store.feed.openFollower("f"), await store.feed.openFollower("f")];
  expect(await store.feed.saveCursor((await read(one)).cursor)).not.toBeNull();
  expect(await store.feed.saveCursor((await read(two)).cursor)).toBeNull();
});

test("[L-24] pages: a small limit gives everything in turn and says when there is more", async () => {
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

test("[L-24] many transactions that commit and roll back in random order: every commit is seen, exactly the rolled back are not", async () => {
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

/** A small generator with a seed: the order is random and the same every time. */
function mulberry(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}
