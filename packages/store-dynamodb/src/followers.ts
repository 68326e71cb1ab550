/** Saved positions of followers of the change feed. */
import type { FeedCursor } from "@runledger/contracts";
import { absent, equals } from "./conditions.js";
import type { Db } from "./db.js";
import { json, number, text, type Item } from "./encoding.js";
import { Cancelled } from "./errors.js";
import { fromPosition, START, toPosition, type Position } from "./feed-lanes.js";
import { deleteItems, getItem, queryAll } from "./items.js";
import type { HeadItem } from "./heads.js";
import type { Key } from "./table.js";

const followerKey = (follower: string): Key => ({ pk: "FOLLOWERS", sk: follower });

export interface Follower {
  readonly name: string;
  readonly position: Position;
  /** When the position was saved last, in ms. */
  readonly savedAt: number;
}

function toCursor(follower: string, item: Item | null): FeedCursor {
  if (item === null) return { follower, version: 0, position: fromPosition(START) };
  return { follower, version: number(item, "version"), position: json(item, "position") as FeedCursor["position"] };
}

export async function findFollower({ client }: Db, follower: string): Promise<FeedCursor> {
  return toCursor(follower, await getItem(client, followerKey(follower)));
}

export async function openFollower(db: Db, follower: string): Promise<FeedCursor> {
  const found = await findFollower(db, follower);
  if (found.version > 0) return found;
  const position = JSON.stringify(START);
  const item = { ...followerKey(follower), version: 1, position, savedAt: db.client.clock.now() };
  try {
    await db.client.transact([{ kind: "put", item, when: absent }]);
  } catch (error) {
    if (!(error instanceof Cancelled)) throw error; // another process opened it
  }
  return findFollower(db, follower);
}

export async function saveCursor({ client }: Db, cursor: FeedCursor): Promise<FeedCursor | null> {
  const { follower, version } = cursor;
  const position = JSON.stringify(cursor.position);
  const set = { version: version + 1, position, savedAt: client.clock.now() };
  const saved = { ...cursor, version: version + 1 };
  try {
    await client.transact([{ kind: "update", key: followerKey(follower), set, when: equals({ version }) }]);
    return saved;
  } catch (error) {
    if (!(error instanceof Cancelled)) throw error;
    const stored = error.itemAt(0);
    const isOwn = error.mayHaveApplied && stored?.["version"] === version + 1 && stored["position"] === position;
    return isOwn ? saved : null;
  }
}

export async function removeFollower({ client }: Db, follower: string): Promise<void> {
  await deleteItems(client, [followerKey(follower)]);
}

export async function listFollowers({ client }: Db): Promise<Follower[]> {
  const items = await queryAll(client, { pk: "FOLLOWERS" });
  return items.map((item) => ({
    name: text(item, "sk"),
    position: toPosition(json(item, "position") as FeedCursor["position"]),
    savedAt: number(item, "savedAt"),
  }));
}

/** Returns `true` if some follower has not read the last change of this run. */
export async function isFollowed(db: Db, { lane, laneN }: HeadItem): Promise<boolean> {
  return (await listFollowers(db)).some(({ position }) => position.at[lane]! < laneN);
}
