import assert from "node:assert/strict";
import type { ChangeFeed, FeedCursor } from "@runledger/contracts";
import * as fc from "fast-check";
import { command, type Command } from "./command.js";
import type { TwoStores } from "./two-stores.js";

const followers = fc.constantFrom("projector", "outbox");

const openCommand = followers.map((follower) => command(`open ${follower}`, (stores) => open(stores, follower)));

/** Reads both feeds to the end. Pages and the number of reports per run may differ; the reported heads must not. */
const readCommand = fc
  .record({ follower: followers, limit: fc.constantFrom(1, 3, 1000), save: fc.boolean(), reopen: fc.boolean() })
  .map(({ follower, limit, save, reopen }) =>
    command(`${follower} reads by ${limit}${save ? " and saves" : ""}`, async (stores) => {
      if (reopen || !stores.cursors.has(follower)) await open(stores, follower);
      const { memory, judged } = stores.cursors.get(follower)!;
      const expected = await readOn(stores.memory.feed, memory, limit);
      const actual = await readOn(stores.judged.feed, judged, limit);
      assert.deepEqual(actual.heads, expected.heads, `${follower} got other runs than the reference`);
      if (!save) return;
      const saved = await stores.memory.feed.saveCursor(expected.cursor);
      const alsoSaved = await stores.judged.feed.saveCursor(actual.cursor);
      assert.equal(alsoSaved?.version, saved?.version, `saving ${follower}`);
      if (saved && alsoSaved) stores.cursors.set(follower, { memory: saved, judged: alsoSaved });
    }),
  );

const removeCommand = followers.map((follower) =>
  command(`remove ${follower}`, (stores) =>
    stores.compare(`remove ${follower}`, (store) => store.feed.removeFollower(follower)),
  ),
);

/** The number of pruned rows may differ between stores. Whether any row was pruned must not. */
const pruneCommand = fc.constant(
  command("prune", (stores) => stores.compare("prune", async (store) => (await store.feed.pruneChanges()) > 0)),
);

export const feedCommands: readonly fc.Arbitrary<Command>[] = [
  openCommand,
  readCommand,
  readCommand,
  removeCommand,
  pruneCommand,
];

async function open(stores: TwoStores, follower: string): Promise<void> {
  const memory = await stores.memory.feed.openFollower(follower);
  const judged = await stores.judged.feed.openFollower(follower);
  assert.equal(judged.version, memory.version, `opening ${follower}`);
  stores.cursors.set(follower, { memory, judged });
}

async function readOn(
  feed: ChangeFeed,
  from: FeedCursor,
  limit: number,
): Promise<{ readonly heads: object; readonly cursor: FeedCursor }> {
  const heads: Record<string, number> = {};
  for (let cursor = from; ;) {
    const page = await feed.readChanges(cursor, { limit });
    cursor = page.cursor;
    for (const { runId, headSeq } of page.changes) heads[runId] = Math.max(headSeq, heads[runId] ?? 0);
    if (page.caughtUp) return { heads, cursor };
  }
}
