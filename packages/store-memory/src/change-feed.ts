import type { FeedCursor, FeedPage, ProjectionLag, RunChange } from "@runledger/contracts";
import { compareIds } from "./heads.js";
import { headOf, placeAfter, type Tables } from "./tables.js";

interface Position {
  readonly lastId: number;
  /** `true` if the change `lastId` was still there when the cursor was opened or read. */
  readonly mark: boolean;
}

/** Changes become visible in order here, so a cursor is one number. */
export function openFollower(tables: Tables, follower: string): FeedCursor {
  if (!tables.followers.has(follower)) tables.followers.set(follower, { version: 1, lastId: 0 });
  return findFollower(tables, follower);
}

export function findFollower(tables: Tables, follower: string): FeedCursor {
  const { version, lastId } = tables.followers.get(follower) ?? { version: 0, lastId: 0 };
  return { follower, version, position: positionAt(lastId, tables.feed.changes.has(lastId)) };
}

export function readChanges(tables: Tables, cursor: FeedCursor, limit: number): FeedPage {
  const now = iso(tables.now());
  if (isReset(tables, cursor)) return { changes: [], cursor, caughtUp: true, now, isReset: true };
  const { lastId, mark } = cursor.position as unknown as Position;
  const ids = [...tables.feed.changes.keys()].filter((id) => id > lastId);
  const page = ids.slice(0, limit);
  return {
    changes: page.map((id) => tables.feed.changes.get(id)!),
    cursor: { ...cursor, position: positionAt(page.at(-1) ?? lastId, page.length > 0 || mark) },
    caughtUp: page.length < limit,
    now,
  };
}

/** A change is pruned only after the follower has saved a cursor at or above it, unless the follower was removed. */
function isReset(tables: Tables, { follower, position }: FeedCursor): boolean {
  const { lastId, mark } = position as unknown as Position;
  return mark && !tables.feed.changes.has(lastId) && (tables.followers.get(follower)?.lastId ?? 0) < lastId;
}

const positionAt = (lastId: number, mark: boolean) => ({ lastId, mark });

export function saveCursor(tables: Tables, cursor: FeedCursor): FeedCursor | null {
  const { follower, version } = cursor;
  if (tables.followers.get(follower)?.version !== version) return null;
  tables.followers.set(follower, { version: version + 1, lastId: lastIdOf(cursor) });
  return { ...cursor, version: version + 1 };
}

export function attend(
  tables: Tables,
  { group, member, ttlMs }: { readonly group: string; readonly member: string; readonly ttlMs: number },
): string[] {
  const members = tables.members.get(group) ?? new Map<string, number>();
  tables.members.set(group, members.set(member, tables.now() + ttlMs));
  return [...members]
    .filter(([, until]) => until > tables.now())
    .map(([name]) => name)
    .sort(compareIds);
}

/** Changes that are kept for a follower that may come. A new follower enumerates the heads, so it needs none of them. */
const MAX_CHANGES = 250_000;

export function addChange({ feed, followers }: Tables, change: RunChange): void {
  feed.changes.set(feed.nextId++, change);
  if (followers.size > 0 || feed.changes.size <= MAX_CHANGES) return;
  for (const oldest of feed.changes.keys()) return void feed.changes.delete(oldest);
}

export function measureLag(tables: Tables, group: string): ProjectionLag {
  const followers = [...tables.followers].filter(([name]) => name.startsWith(`${group}/`));
  const passed = followers.length === 0 ? 0 : Math.min(...followers.map(([, { lastId }]) => lastId));
  const unread = [...tables.feed.changes].filter(([id]) => id > passed);
  const behind = unread.find(
    ([, { runId, headSeq }]) => tables.runs.has(runId) && headSeq > projectedSeq(tables, runId),
  );
  return { now: iso(tables.now()), oldestAt: behind === undefined ? null : unprojectedSince(tables, behind[1].runId) };
}

/** `Infinity` for a run that is marked `stale`: a projector has already reported it. */
function projectedSeq({ projections }: Tables, runId: string): number {
  const header = projections.get(runId)?.header;
  return header?.stale === true ? Infinity : (header?.lastEventSeq ?? 0);
}

function unprojectedSince(tables: Tables, runId: string): string {
  const run = tables.runs.get(runId)!;
  return run.events[placeAfter(run, projectedSeq(tables, runId))]!.persistedAt!;
}

export function listBehind(tables: Tables, afterRunId: string, limit: number) {
  const runs = [...tables.runs.values()].filter(({ runId }) => compareIds(runId, afterRunId) > 0);
  const page = runs.sort((a, b) => compareIds(a.runId, b.runId)).slice(0, limit);
  const projected = (runId: string): number => tables.projections.get(runId)?.header.lastEventSeq ?? 0;
  const behind = page.filter((run) => headOf(run) > projected(run.runId));
  return { runIds: behind.map(({ runId }) => runId), next: page.length < limit ? null : page.at(-1)!.runId };
}

export function pruneChanges(tables: Tables): number {
  const passed = Math.min(...[...tables.followers.values()].map(({ lastId }) => lastId)); // `Infinity` without followers: prune everything
  const ids = [...tables.feed.changes.keys()].filter((id) => id <= passed);
  for (const id of ids) tables.feed.changes.delete(id);
  return ids.length;
}

/** Returns `true` if some follower has not read every change of this run. */
export function isFollowed(tables: Tables, runId: string): boolean {
  const announced = [...tables.feed.changes].filter(([, change]) => change.runId === runId).map(([id]) => id);
  return [...tables.followers.values()].some(({ lastId }) => announced.some((id) => id > lastId));
}

function lastIdOf(cursor: FeedCursor): number {
  return (cursor.position as unknown as Position).lastId;
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}
