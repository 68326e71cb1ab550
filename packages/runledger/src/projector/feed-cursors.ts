/** The cursors of the partitions that a process has. Those that stand at the same place read the feed once for all. */
import type { ChangeFeed, FeedCursor, RunChange } from "@runledger/contracts";
import { followerOf, partitionOf } from "./partitions.js";

interface Place {
  cursor: FeedCursor;
  /** What was last read from the store, or written to it. */
  saved: FeedCursor;
  /** False = the heads that the feed no longer tells of have not all been seen: a restart must begin again. */
  isFilled: boolean;
}

type Group = readonly (readonly [number, Place])[];

export interface FeedTurn {
  readonly changes: readonly RunChange[];
  readonly caughtUp: boolean;
  readonly now: string;
  /** What was read has been dealt with. */
  passed(): void;
}

/** Rows of the feed in a page; pages that are read before anything is projected, so that runs are told of once. */
const PAGE = 500;
const MOST_PAGES = 20;

export class FeedCursors {
  readonly #feed: ChangeFeed;
  readonly #places = new Map<number, Place>();

  constructor(feed: ChangeFeed) {
    this.#feed = feed;
  }

  get partitions(): readonly number[] {
    return [...this.#places.keys()];
  }

  /** Takes over a partition where whoever had it saved it. True = nobody ever did: enumerate the heads, then `filled`. */
  async take(partition: number): Promise<boolean> {
    const cursor = await this.#feed.openFollower(followerOf(partition));
    const isNew = cursor.version === 1;
    this.#places.set(partition, { cursor, saved: cursor, isFilled: !isNew });
    return isNew;
  }

  filled(partition: number): void {
    const place = this.#places.get(partition);
    if (place !== undefined) place.isFilled = true;
  }

  /** Somebody else has it now. */
  drop(partition: number): void {
    this.#places.delete(partition);
  }

  /** A turn for each place at which some of the partitions stand. `everything` = to the end of the feed, however far. */
  async *turns(everything = false): AsyncGenerator<FeedTurn> {
    for (const group of this.#groups()) yield await this.#read(group, everything ? Infinity : MOST_PAGES);
  }

  #groups(): Iterable<Group> {
    const groups = new Map<string, [number, Place][]>();
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
        if (mine.has(partitionOf(runId))) heads.set(runId, Math.max(headSeq, heads.get(runId) ?? 0));
      if (page.caughtUp || pages >= mostPages) break;
      page = await this.#feed.readChanges(page.cursor, { limit: PAGE });
    }
    const { position } = page.cursor;
    return {
      changes: [...heads].map(([runId, headSeq]) => ({ runId, headSeq })),
      caughtUp: page.caughtUp,
      now: page.now,
      passed: () => {
        for (const [, place] of group) place.cursor = { ...place.cursor, position };
      },
    };
  }

  /** Saves what has moved. Whoever finds that another process saved first goes on from where that one stands. */
  async save(): Promise<void> {
    const moved = [...this.#places].filter(([, place]) => place.isFilled && hasMoved(place));
    await Promise.all(moved.map(([partition, place]) => this.#saveOne(partition, place)));
  }

  async #saveOne(partition: number, place: Place): Promise<void> {
    const saved = await this.#feed.saveCursor(place.cursor);
    if (saved === null) return void (await this.take(partition));
    place.saved = saved;
    place.cursor = { ...place.cursor, version: saved.version };
  }
}

function hasMoved({ cursor, saved, isFilled }: Place): boolean {
  return (isFilled && saved.version === 1) || JSON.stringify(cursor.position) !== JSON.stringify(saved.position);
}
