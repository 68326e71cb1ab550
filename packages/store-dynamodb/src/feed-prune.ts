/** Deletes changes that every follower has passed. */
import { compare, any } from "./conditions.js";
import type { Db } from "./db.js";
import { Cancelled } from "./errors.js";
import { lanes, readLane, readLanes } from "./feed-lanes.js";
import { listFollowers } from "./followers.js";
import { deleteItems } from "./items.js";
import { changeKey, laneKey } from "./lanes.js";

const MOST = 100_000;

/**
 * The lanes are read before the followers: a follower that is opened afterwards lists the heads, which then include every
 * change up to here.
 */
export async function pruneChanges(db: Db): Promise<number> {
  const states = await readLanes(db.client);
  const followers = await listFollowers(db);
  let pruned = 0;
  for (const lane of lanes) {
    const { n, pruned: before } = states[lane]!;
    const passed = Math.min(n, ...followers.map(({ position }) => position.at[lane]!));
    if (passed > before && pruned < MOST) pruned += await pruneLane(db, lane, before, passed);
  }
  return pruned;
}

async function pruneLane(db: Db, lane: number, before: number, passed: number): Promise<number> {
  const upTo = Math.min(passed, before + MOST);
  const changes = (await readLane(db.client, lane, before + 1, upTo - before)).filter(({ n }) => n <= upTo);
  await deleteItems(
    db.client,
    changes.map(({ n }) => changeKey(lane, n)),
  );
  const when = any({ op: "absent", name: "pruned" }, compare("pruned", "<", upTo));
  try {
    await db.client.transact([{ kind: "update", key: laneKey(lane), set: { pruned: upTo }, when }]);
  } catch (error) {
    if (!(error instanceof Cancelled)) throw error; // another process has pruned further
  }
  return changes.length;
}
