/** Reports to followers that runs changed (F8). See `lanes.ts` for why nothing is lost. */
import type { FeedCursor, FeedPage } from "@runledger/contracts";
import { iso } from "./clock.js";
import type { Db } from "./db.js";
import {
  fromPosition,
  lanes,
  readLane,
  readLanes,
  toPosition,
  type Change,
  type LaneState,
  type Position,
} from "./feed-lanes.js";
import { findFollower } from "./followers.js";

export async function readChanges(db: Db, cursor: FeedCursor, limit: number): Promise<FeedPage> {
  const states = await readLanes(db.client);
  const position = toPosition(cursor.position);
  const now = (): string => iso(db.client.clock.now());
  const reset = (): FeedPage => ({ changes: [], cursor, caughtUp: true, now: now(), isReset: true });
  if (states.some((state, lane) => isBehind(state, position, lane))) return reset();
  const ahead = lanes.filter((lane) => states[lane]!.n > position.at[lane]!);
  const pages = await readAhead(db, ahead, position, limit);
  if (await isAnyLost(db, cursor.follower, position, pages)) return reset();
  const next = moved(position, pages, states);
  return {
    changes: pages.flatMap(({ changes }) => changes.map(({ runId, headSeq }) => ({ runId, headSeq }))),
    cursor: { ...cursor, position: fromPosition(next) },
    caughtUp: lanes.every((lane) => states[lane]!.n <= next.at[lane]!),
    now: now(),
  };
}

/** The lane is in an earlier state than when the cursor was read, or has another history. */
function isBehind({ n, mark }: LaneState, { at, marks }: Position, lane: number): boolean {
  return at[lane]! > n || (at[lane] === n && marks[lane] !== "" && marks[lane] !== mark);
}

interface LanePage {
  readonly lane: number;
  /** The change at the position, if it is still there. */
  readonly last: Change | undefined;
  readonly changes: readonly Change[];
}

/** Divides the page among lanes. Starts at a random one, so that no lane waits for a busy one. */
function readAhead(db: Db, ahead: readonly number[], { at }: Position, limit: number): Promise<LanePage[]> {
  const first = Math.floor(Math.random() * ahead.length);
  const chosen = [...ahead.slice(first), ...ahead.slice(0, first)].slice(0, limit);
  const share = Math.max(1, Math.floor(limit / Math.max(1, chosen.length)));
  return Promise.all(
    chosen.map(async (lane) => {
      const found = await readLane(db.client, lane, at[lane]!, share + 1);
      const changes = found.filter(({ n }) => n > at[lane]!).slice(0, share);
      return { lane, last: found.find(({ n }) => n === at[lane]), changes };
    }),
  );
}

/** A change is deleted only after the follower has saved a position at or above it, unless the follower was removed. */
async function isAnyLost(
  db: Db,
  follower: string,
  { at, marks }: Position,
  pages: readonly LanePage[],
): Promise<boolean> {
  const marked = pages.filter(({ lane }) => marks[lane] !== "");
  if (marked.some(({ lane, last }) => last !== undefined && last.mark !== marks[lane])) return true;
  const missing = marked.filter(({ last }) => last === undefined);
  if (missing.length === 0) return false;
  const saved = toPosition((await findFollower(db, follower)).position);
  return missing.some(({ lane }) => saved.at[lane]! < at[lane]!);
}

/** If a lane has no change left up to the number it had before, they were deleted. */
function moved({ at, marks }: Position, pages: readonly LanePage[], states: readonly LaneState[]): Position {
  const next = { at: [...at], marks: [...marks] };
  for (const { lane, changes } of pages) {
    const last = changes.at(-1) ?? states[lane]!;
    next.at[lane] = last.n;
    next.marks[lane] = last.mark;
  }
  return next;
}
