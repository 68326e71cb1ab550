import assert from "node:assert/strict";
import { setImmediate, setTimeout } from "node:timers/promises";
import { omitUndefined } from "@runledger/contracts";
import { clause } from "../clause.js";
import { eventOf, stepOf, stepsOf } from "../support/events.js";
import { followFromHere, readOn } from "../support/followers.js";
import { changeOf, project } from "../support/projecting.js";
import { refused } from "../support/refused.js";

/** F8: every acknowledged append is reported at least once, possibly late. */
export const changeFeed = clause("change-feed", ["feed"], {
  "F8: a follower learns which runs changed, and how far they got": async ({ store }) => {
    const cursor = await followFromHere(store.feed, "projector");
    await store.appendEvents(stepsOf("run-1", 3));
    await store.appendEvents([...stepsOf("run-2", 1), ...stepsOf("run-1", 1, 4)]);
    const { heads } = await readOn(store.feed, cursor);
    assert.deepEqual(Object.fromEntries(heads), { "run-1": 4, "run-2": 1 });
  },

  "F8: duplicates and refusals are no news": async ({ store }) => {
    await store.appendEvents(stepsOf("run-1", 2));
    const cursor = await followFromHere(store.feed, "projector");
    await store.appendEvents(stepsOf("run-1", 2));
    await refused(store.appendEvents(stepsOf("run-1", 1, 3), { expectedSeq: 9 }), "SEQ_MISMATCH");
    assert.equal((await readOn(store.feed, cursor)).heads.size, 0);
  },

  "F8: reading moves nothing until the cursor is saved": async ({ store }) => {
    await followFromHere(store.feed, "projector");
    await store.appendEvent(stepOf("run-1", "s1"));
    for (let reader = 0; reader < 2; reader++) {
      const { heads } = await readOn(store.feed, await store.feed.openFollower("projector"));
      assert.equal(heads.get("run-1"), 1);
    }
  },

  "F8: a follower continues at its saved cursor": async ({ store }) => {
    const start = await followFromHere(store.feed, "projector");
    await store.appendEvent(stepOf("run-1", "s1"));
    const { cursor } = await readOn(store.feed, start);
    const saved = await store.feed.saveCursor(cursor);
    assert.ok(saved !== null && saved.version > start.version);
    await store.appendEvent(stepOf("run-2", "s1"));
    const { heads } = await readOn(store.feed, await store.feed.openFollower("projector"));
    assert.deepEqual([...heads.keys()], ["run-2"]);
  },

  "F8: of two processes with one name only one moves the cursor": async ({ store }) => {
    const cursor = await followFromHere(store.feed, "projector");
    await store.appendEvent(stepOf("run-1", "s1"));
    const first = await readOn(store.feed, cursor);
    const second = await readOn(store.feed, cursor);
    assert.notEqual(await store.feed.saveCursor(first.cursor), null);
    assert.equal(await store.feed.saveCursor(second.cursor), null);
  },

  "F8: followers do not move each other": async ({ store }) => {
    const projector = await followFromHere(store.feed, "projector");
    const outbox = await followFromHere(store.feed, "outbox");
    await store.appendEvent(stepOf("run-1", "s1"));
    const { cursor } = await readOn(store.feed, projector);
    await store.feed.saveCursor(cursor);
    assert.equal((await readOn(store.feed, outbox)).heads.get("run-1"), 1);
  },

  "F8: small pages say that there is more, and together hold everything": async ({ store }) => {
    const cursor = await followFromHere(store.feed, "projector");
    for (let run = 0; run < 12; run++) await store.appendEvent(stepOf(`run-${run}`, "s1"));
    const page = await store.feed.readChanges(cursor, { limit: 5 });
    assert.equal(page.caughtUp, false);
    assert.ok(page.changes.length >= 1 && page.changes.length < 12);
    assert.equal((await readOn(store.feed, cursor, 5)).heads.size, 12);
  },

  "F8: pruning takes nothing that a follower has not passed": async ({ store }) => {
    const slow = await followFromHere(store.feed, "slow");
    const fast = await followFromHere(store.feed, "fast");
    await store.appendEvents([stepOf("run-1", "s1"), stepOf("run-2", "s1")]);
    await store.feed.saveCursor((await readOn(store.feed, fast)).cursor);
    await store.feed.pruneChanges();
    assert.equal((await readOn(store.feed, slow)).heads.size, 2);
  },

  "F8: what all have passed is pruned, once": async ({ store }) => {
    const cursor = await followFromHere(store.feed, "projector");
    for (let run = 0; run < 3; run++) await store.appendEvent(stepOf(`run-${run}`, "s1"));
    await store.feed.saveCursor((await readOn(store.feed, cursor)).cursor);
    assert.ok((await store.feed.pruneChanges()) >= 3);
    assert.equal(await store.feed.pruneChanges(), 0);
  },

  "F8: a removed follower blocks no pruning and starts again from the beginning": async ({ store }) => {
    const gone = await followFromHere(store.feed, "gone");
    await store.appendEvent(stepOf("run-1", "s1"));
    await store.feed.removeFollower("gone");
    assert.ok((await store.feed.pruneChanges()) >= 1);
    assert.equal(await store.feed.saveCursor(gone), null);
    const { heads } = await readOn(store.feed, await store.feed.openFollower("gone"));
    assert.equal(heads.size, 0);
  },

  "F8: a page has the time of the read, by the store's clock": async ({ store }) => {
    const cursor = await followFromHere(store.feed, "projector");
    await store.appendEvent(stepOf("run-1", "s1"));
    const { now } = await store.feed.readChanges(cursor);
    const [head] = await store.fetchHeads(["run-1"]);
    assert.ok(now >= head!.persistedAt && new Date(now).toISOString() === now, now);
  },

  "a follower is found only after it was opened, and finding creates none": async ({ store }) => {
    await store.appendEvent(stepOf("run-1", "s1"));
    const none = await store.feed.findFollower("projector");
    assert.equal(none.version, 0);
    assert.deepEqual([...(await readOn(store.feed, none)).heads.keys()], ["run-1"]);
    assert.ok((await store.feed.pruneChanges()) >= 1);
    const saved = await followFromHere(store.feed, "projector");
    const found = await store.feed.findFollower("projector");
    assert.equal(found.version, saved.version);
    await store.appendEvent(stepOf("run-2", "s1"));
    assert.deepEqual([...(await readOn(store.feed, found)).heads.keys()], ["run-2"]);
  },

  "runs are listed whose projection is behind their head, page by page": async ({ store }) => {
    for (const runId of ["b", "B", "a", "c"]) await store.appendEvent(stepOf(runId, "s1"));
    await project(store, "a", "b");
    await store.appendEvent(stepOf("b", "s2"));
    assert.deepEqual(await store.feed.listBehind(), { runIds: ["B", "b", "c"], next: null });
    assert.deepEqual(await store.feed.listBehind({ limit: 2 }), { runIds: ["B"], next: "a" });
    const rest = await store.feed.listBehind({ afterRunId: "a", limit: 3 });
    assert.deepEqual(rest, { runIds: ["b", "c"], next: null });
  },

  "the lag is the age of the oldest event that no projection includes": async ({ store }) => {
    const oldestAt = async () => (await store.feed.measureLag({ group: "projector" })).oldestAt;
    assert.equal(await oldestAt(), null);
    await store.appendEvents(stepsOf("run-1", 2));
    await store.appendEvent(stepOf("run-2", "s1"));
    const persistedAt = async (runId: string) => (await store.fetchEvents(runId))[0]!.persistedAt;
    assert.equal(await oldestAt(), await persistedAt("run-1"));
    await project(store, "run-1");
    assert.equal(await oldestAt(), await persistedAt("run-2"));
    await project(store, "run-2");
    assert.equal(await oldestAt(), null);
  },

  "the lag ignores what the projectors have passed, and runs that are marked stale": async ({ store }) => {
    const cursor = await followFromHere(store.feed, "projector/0");
    await store.appendEvent(stepOf("passed", "s1"));
    await store.feed.saveCursor((await readOn(store.feed, cursor)).cursor);
    await store.appendEvent(stepOf("torn", "s1"));
    const change = await changeOf(store, "torn");
    await store.snapshots.saveProjection({ ...change, header: { ...change.header, stale: true } });
    await store.appendEvent(stepOf("torn", "s2"));
    await store.appendEvent(stepOf("new", "s1"));
    const [head] = await store.fetchHeads(["new"]);
    const { now, oldestAt } = await store.feed.measureLag({ group: "projector" });
    assert.equal(oldestAt, head!.persistedAt);
    assert.ok(now >= oldestAt, now);
  },

  "F8: a follower reads many runs, each from its own watermark": async ({ store }) => {
    await store.appendEvents([...stepsOf("run-1", 4), ...stepsOf("run-2", 2), ...stepsOf("run-3", 1)]);
    const asked = [
      { runId: "run-2", afterSeq: 0 },
      { runId: "absent", afterSeq: 0 },
      { runId: "run-1", afterSeq: 1 },
      { runId: "run-3", afterSeq: 1 },
    ];
    const seqs = async (limit?: number): Promise<number[][]> =>
      (await store.feed.fetchRuns(asked, omitUndefined({ limit }))).map((events) => events.map(({ runSeq }) => runSeq));
    assert.deepEqual(await seqs(), [[1, 2], [], [2, 3, 4], []]);
    assert.deepEqual(await seqs(2), [[1, 2], [], [2, 3], []]);
    const [events] = await store.feed.fetchRuns([{ runId: "run-1", afterSeq: 0 }]);
    assert.deepEqual(events, await store.fetchEvents("run-1"));
    assert.deepEqual(await store.feed.fetchRuns([]), []);
  },

  "F8: a follower that reads few bytes at a time reads everything": async ({ store }) => {
    const output = "x".repeat(10_000);
    const large = (runId: string, n: number) => ({ ...stepOf(runId, `s${n}`), eventData: { output } });
    for (const runId of ["run-1", "run-2"]) await store.appendEvents([1, 2, 3].map((n) => large(runId, n)));
    const seen: Record<string, number[]> = { "run-1": [], "run-2": [] };
    for (let reads = 0; reads < 6; reads++) {
      const asked = Object.entries(seen).map(([runId, seqs]) => ({ runId, afterSeq: seqs.at(-1) ?? 0 }));
      for (const events of await store.feed.fetchRuns(asked, { maxBytes: 1 }))
        for (const { runId, runSeq } of events) seen[runId]!.push(runSeq);
    }
    assert.deepEqual(seen, { "run-1": [1, 2, 3], "run-2": [1, 2, 3] });
  },

  "F8: archived runs are read too": async ({ store }) => {
    if (store.archive === undefined) return;
    await store.appendEvents([stepOf("run-1", "s1"), eventOf("run-1", "RunCompleted")]);
    assert.equal((await store.archive.archiveRun("run-1")).archived, true);
    const [events] = await store.feed.fetchRuns([{ runId: "run-1", afterSeq: 1 }]);
    assert.deepEqual(
      events!.map(({ eventType }) => eventType),
      ["RunCompleted"],
    );
  },

  "a member of a group learns the other members, until they leave or expire": async ({ store, another }) => {
    const other = (await another()).feed!;
    const attend = (feed: typeof other, member: string, ttlMs = 60_000) => feed.attend({ group: "g", member, ttlMs });
    assert.deepEqual(await attend(store.feed, "b"), ["b"]);
    assert.deepEqual(await attend(other, "a"), ["a", "b"]);
    assert.deepEqual(await attend(store.feed, "b"), ["a", "b"]);
    assert.deepEqual(await store.feed.attend({ group: "another", member: "c", ttlMs: 60_000 }), ["c"]);
    await other.leave({ group: "g", member: "a" });
    assert.deepEqual(await attend(store.feed, "b"), ["b"]);
    await attend(other, "a", 1);
    await setTimeout(20);
    assert.deepEqual(await attend(store.feed, "b"), ["b"]);
    await store.feed.leave({ group: "g", member: "never there" });
  },

  "F8: nothing is lost while many write and the feed is read, saved and pruned": async ({ store, another }) => {
    const handles = [store, await another()];
    let cursor = await followFromHere(store.feed, "projector");
    const told = new Map<string, number>();
    const follow = async (): Promise<void> => {
      const { heads, cursor: read } = await readOn(store.feed, cursor, 3);
      for (const [runId, head] of heads) told.set(runId, Math.max(head, told.get(runId) ?? 0));
      cursor = (await store.feed.saveCursor(read))!;
      await store.feed.pruneChanges();
    };
    const calls = stepsOf("unused", 120).map((_, index) =>
      handles[index % 2]!.appendEvent(stepOf(`run-${index % 7}`, `s${index}`)),
    );
    const followAlong = async (): Promise<void> => {
      for (let round = 0; round < 20; round++) await Promise.all([follow(), setImmediate()]);
    };
    await Promise.all([...calls, followAlong()]);
    await follow();
    const heads = await store.listHeads();
    assert.deepEqual(
      [...told].toSorted(([a], [b]) => (a < b ? -1 : 1)),
      heads.map((head) => [head.runId, head.headSeq]),
    );
  },
});
