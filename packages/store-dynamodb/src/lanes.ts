/**
 * The write side of the change feed. The feed is divided into lanes. A change gets the next number of one lane, and the
 * lane's number is raised in the transaction of the append. So the numbers of a lane become visible in order and without
 * holes, and a follower that remembers one number per lane misses nothing, no matter how long a writer stalls: its transaction
 * either took the next number or was cancelled.
 *
 * A process uses each lane for one transaction at a time and prefers lanes in which it met no other process, so that
 * writers soon stay out of each other's way.
 */
import { randomUUID } from "node:crypto";
import type { WriteAction } from "./actions.js";
import type { DynamoClient } from "./client.js";
import { absent, equals } from "./conditions.js";
import { number, type Item } from "./encoding.js";
import { getItem } from "./items.js";
import { padded, type Key } from "./table.js";

export const LANES = 64;
/** Lanes lie in a few partitions, so that a follower reads all their numbers with few requests. */
export const LANE_GROUPS = 4;

export const laneKey = (lane: number): Key => ({
  pk: `LANES#${lane % LANE_GROUPS}`,
  sk: String(lane).padStart(2, "0"),
});
export const changeKey = (lane: number, n: number): Key => ({
  pk: `FEED#${String(lane).padStart(2, "0")}`,
  sk: padded(n),
});

interface Lane {
  readonly lane: number;
  /** The last number, as far as known. `null` if it was not read yet. */
  last: number | null;
}

/** A place in a lane that one transaction may take. */
export interface Place {
  readonly lane: number;
  readonly n: number;
  /** The actions that take the place. The first one fails if another writer took it. */
  actions(change: { readonly runId: string; readonly headSeq: number; readonly at: number }): readonly WriteAction[];
  /** The transaction was applied. */
  taken(): void;
  /** The transaction was not applied. `item` is the stored lane if another writer was first. */
  lost(item: Item | null): void;
}

export class Lanes {
  readonly #client: DynamoClient;
  /** Free lanes; the last one is used first. */
  readonly #free: Lane[];
  readonly #waiting: ((lane: Lane) => void)[] = [];

  constructor(client: DynamoClient) {
    this.#client = client;
    this.#free = shuffled(Array.from({ length: LANES }, (_, lane) => ({ lane, last: null })));
  }

  /** Runs a transaction with a place that no other transaction of this process uses meanwhile. */
  async withPlace<T>(use: (place: Place) => Promise<T>): Promise<T> {
    const lane = this.#free.pop() ?? (await new Promise<Lane>((resolve) => this.#waiting.push(resolve)));
    const before = lane.last;
    try {
      lane.last ??= await this.#read(lane.lane);
      return await use(placeIn(lane));
    } finally {
      this.#release(lane, lane.last === null || (before !== null && lane.last !== before + 1));
    }
  }

  async #read(lane: number): Promise<number> {
    const item = await getItem(this.#client, laneKey(lane));
    return item === null ? 0 : number(item, "n");
  }

  #release(lane: Lane, isShared: boolean): void {
    const next = this.#waiting.shift();
    if (next !== undefined) return next(lane);
    if (isShared) this.#free.unshift(lane);
    else this.#free.push(lane);
  }
}

function placeIn(lane: Lane): Place {
  const last = lane.last!;
  const n = last + 1;
  return {
    lane: lane.lane,
    n,
    actions: (change) => takePlace(lane.lane, last, change),
    taken: () => void (lane.last = n),
    lost: (item) => void (lane.last = item === null ? null : number(item, "n")),
  };
}

/** `mark` tells changes apart that have the same number because the table was restored from a backup. */
function takePlace(
  lane: number,
  last: number,
  { runId, headSeq, at }: { readonly runId: string; readonly headSeq: number; readonly at: number },
): readonly WriteAction[] {
  const mark = randomUUID().slice(0, 8);
  const when = last === 0 ? absent : equals({ n: last });
  return [
    { kind: "update", key: laneKey(lane), set: { n: last + 1, mark }, when },
    { kind: "put", item: { ...changeKey(lane, last + 1), runId, headSeq, at, mark }, when: absent },
  ];
}

function shuffled<T>(values: readonly T[]): T[] {
  return values
    .map((value) => ({ value, order: Math.random() }))
    .sort((a, b) => a.order - b.order)
    .map(({ value }) => value);
}
