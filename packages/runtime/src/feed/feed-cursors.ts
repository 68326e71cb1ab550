/** The feed cursors of the partitions that this process follows. Cursors at the same position share one read. */
import type { ChangeFeed, FeedCursor, RunChange } from "@runledger/contracts";

/** How a group of followers divides the runs. */
export interface Partitioning {
  followerOf(partition: number): string;
  partitionOf(runId: string): number;
}

interface FollowedPartition {
  cursor: FeedCursor;
  /** The cursor as last read from the store or written to it. */
  saved: FeedCursor;
  /** `false` while heads that the feed no longer lists are still being enumerated. A restart enumerates them again. */
  isFilled: boolean;
}

type Group = readonly (readonly [number, FollowedPartition])[];

export interface FeedTurn {
  readonly changes: readonly RunChange[];
  readonly caughtUp: boolean;
  readonly now: string;
  /** `true` if the store is in an earlier state than before. The partitions are fresh again. */
  readonly isReset: boolean;
  /** Moves the cursors past this page, once its changes are handled. */
  advance(): void;
}

const PAGE = 500;
/** Pages read before they are handled, so that a run that changed several times is handled once. */
const MAX_PAGES = 20;

export class FeedCursors {
  readonly #feed: ChangeFeed;
  readonly #partitioning: Partitioning;
  readonly #places = new Map<number, FollowedPartition>();
  #fresh = new Set<number>();

  constructor(feed: ChangeFeed, partitioning: Partitioning) {
    this.#feed = feed;
    this.#partitioning = partitioning;
  }

  get partitions(): readonly number[] {
    return [...this.#places.keys()];
  }

  /** Takes a partition over at its saved cursor. It is fresh if it never had one, or if the store was reset. */
  async take(partition: number, isReset = false): Promise<void> {
    const cursor = await this.#feed.openFollower(this.#partitioning.followerOf(partition));
    const isFresh = isReset || cursor.version === 1;
    this.#places.set(partition, { cursor, saved: cursor, isFilled: !isFresh });
    if (isFresh) this.#fresh.add(partition);
  }

  /** Follows a partition from a cursor that is never saved. */
  readFrom(partition: number, cursor: FeedCursor): void {
    this.#places.set(partition, { cursor, saved: cursor, isFilled: false });
  }

  /** Returns the partitions that became fresh since the last call. Enumerate their heads, then call `filled`. */
  takeFresh(): ReadonlySet<number> {
    const fresh = this.#fresh;
    this.#fresh = new Set();
    return fresh;
  }

  filled(partition: number): void {
    const place = this.#places.get(partition);
    if (place !== undefined) place.isFilled = true;
  }

  /** Stops following a partition that another process took over. */
  drop(partition: number): void {
    this.#places.delete(partition);
  }

  /** One turn per distinct cursor position. With `everything`, a turn reads to the end of the feed. */
  async *turns(everything = false): AsyncGenerator<FeedTurn> {
    for (const group of this.#groups()) yield await this.#read(group, everything ? Infinity : MAX_PAGES);
  }

  #groups(): Iterable<Group> {
    const groups = new Map<string, [number, FollowedPartition][]>();
    for (const entry of this.#places) {
      const at = JSON.stringify(entry[1].cursor.position);
      if (groups.get(at)?.push(entry) === undefined) groups.set(at, [entry]);
    }
    return groups.values();
  }

  async #read(group: Group, mostPages: number): Promise<FeedTurn> {
    const mine = new Set(group.map(([partition]) => partition));
    const heads = new Map<string, number>();
    let page = await this.#feed.readChanges(group[0]![1].cursor, { limit: PAGE });
    for (let pages = 1; ; pages++) {
      for (const { runId, headSeq } of page.changes)
        if (mine.has(this.#partitioning.partitionOf(runId))) heads.set(runId, Math.max(headSeq, heads.get(runId) ?? 0));
      if (page.caughtUp || page.isReset === true || pages >= mostPages) break;
      page = await this.#feed.readChanges(page.cursor, { limit: PAGE });
    }
    if (page.isReset === true) for (const partition of mine) await this.take(partition, true);
    const { position } = page.cursor;
    return {
      changes: [...heads].map(([runId, headSeq]) => ({ runId, headSeq })),
      caughtUp: page.caughtUp,
      now: page.now,
      isReset: page.isReset === true,
      advance: () => {
        for (const [, place] of group) place.cursor = { ...place.cursor, position };
      },
    };
  }

  /** Saves the cursors that moved. If another process saved first, this one continues from that position. */
  async save(): Promise<void> {
    const moved = [...this.#places].filter(([, place]) => place.isFilled && hasMoved(place));
    await Promise.all(moved.map(([partition, place]) => this.#saveOne(partition, place)));
  }

  async #saveOne(partition: number, place: FollowedPartition): Promise<void> {
    const saved = await this.#feed.saveCursor(place.cursor);
    if (saved === null) return this.take(partition);
    place.saved = saved;
    place.cursor = { ...place.cursor, version: saved.version };
  }
}

function hasMoved({ cursor, saved, isFilled }: FollowedPartition): boolean {
  return (isFilled && saved.version === 1) || JSON.stringify(cursor.position) !== JSON.stringify(saved.position);
}
