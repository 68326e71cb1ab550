import { createNoopMeter } from "@opentelemetry/api";
import type { FeedCursor, FullStateStore } from "@runledger/contracts";
import { logAlert } from "../telemetry/log-handlers.js";
import { realTimers } from "../time/timers.js";
import { Following } from "./following.js";
import { followerOf, PARTITIONS } from "./partitions.js";
import { projectorMetrics } from "./projector-metrics.js";

const all = Array.from({ length: PARTITIONS }, (_, partition) => partition);

/**
 * Brings projections and the run index up to the log once. A reader calls this first where no projector runs. Where one
 * runs there is little left to do, and doing the same work twice is harmless. Leaves no follower behind: it would keep
 * changes from being pruned and runs from being archived.
 */
export async function catchUp(store: FullStateStore): Promise<void> {
  if (isFollowed(await savedCursors(store))) return follow(store);
  await store.feed.pruneChanges(); // later changes stay, so that their lag can be measured
  await followingOf(store).enumerate(new Set(all), new AbortController().signal);
}

/** Projects the changes that the feed still lists. Unlike `catchUp`, it repairs no projection that was lost. */
export async function projectPending(store: FullStateStore): Promise<void> {
  const cursors = await savedCursors(store);
  if (isFollowed(cursors)) return follow(store);
  const following = followingOf(store);
  for (const [partition, cursor] of cursors.entries()) following.cursors.readFrom(partition, cursor);
  while (await following.turn());
}

/** Continues where projectors have stopped, and saves their cursors. */
async function follow(store: FullStateStore): Promise<void> {
  const following = followingOf(store);
  for (const partition of all) await following.cursors.take(partition);
  do await following.enumerate(following.cursors.takeFresh(), new AbortController().signal);
  while (await following.turn());
  await following.save();
}

function savedCursors({ feed }: FullStateStore): Promise<FeedCursor[]> {
  return Promise.all(all.map((partition) => feed.findFollower(followerOf(partition))));
}

/** Returns `true` if projectors have followed all partitions. */
function isFollowed(cursors: readonly FeedCursor[]): boolean {
  return cursors.every(({ version }) => version > 1);
}

function followingOf(store: FullStateStore): Following {
  return new Following({
    store,
    timers: realTimers,
    metrics: projectorMetrics(createNoopMeter()),
    alert: logAlert(),
    fault: () => {}, // the alert names the run; the others are up to date
    at: () => {},
    resyncs: () => 0,
    settleAfterMs: Infinity,
  });
}
