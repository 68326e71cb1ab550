import type { FeedCursor, FeedPage } from "@runledger/contracts";
import { compareIds } from "./heads.js";
import type { Tables } from "./tables.js";

/** Here every change is visible in order, so that a cursor is one number. */
export function openFollower(tables: Tables, follower: string): FeedCursor {
  const saved = tables.followers.get(follower) ?? { version: 1, lastId: 0 };
  tables.followers.set(follower, saved);
  return { follower, version: saved.version, position: { lastId: saved.lastId } };
}

export function readChanges(tables: Tables, cursor: FeedCursor, limit: number): FeedPage {
  const lastId = lastIdOf(cursor);
  const ids = [...tables.feed.changes.keys()].filter((id) => id > lastId);
  const page = ids.slice(0, limit);
  return {
    changes: page.map((id) => tables.feed.changes.get(id)!),
    cursor: { ...cursor, position: { lastId: page.at(-1) ?? lastId } },
    caughtUp: page.length < limit,
    now: new Date(tables.now()).toISOString(),
  };
}

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

export function pruneChanges(tables: Tables): number {
  const passed = Math.min(...[...tables.followers.values()].map(({ lastId }) => lastId)); // none: everything
  const ids = [...tables.feed.changes.keys()].filter((id) => id <= passed);
  for (const id of ids) tables.feed.changes.delete(id);
  return ids.length;
}

/** True = some follower has not read everything that announced this run. */
export function isFollowed(tables: Tables, runId: string): boolean {
  const announced = [...tables.feed.changes].filter(([, change]) => change.runId === runId).map(([id]) => id);
  return [...tables.followers.values()].some(({ lastId }) => announced.some((id) => id > lastId));
}

function lastIdOf(cursor: FeedCursor): number {
  return (cursor.position as { readonly lastId: number }).lastId;
}
