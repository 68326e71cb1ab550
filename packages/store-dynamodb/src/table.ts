/**
 * The single-table layout. Every item has a partition key `pk` and a sort key `sk`, and there is no secondary index: those
 * are updated late, and every reader here needs what is committed. Lists are items of their own, written in the
 * transaction that changes what they list, and read with ConsistentRead.
 *
 * Items of one run, `RUN#<runId>`:
 *   H                     head: headSeq, tenantId, leaseEpoch, leaseOwner, archived, persistedAt, seq of the checkpoint,
 *                         lane and number of the last change
 *   E#<seq>               event; E#<seq>#<part> further parts of a large one
 *   I#<idempotencyKey>    seq of the event with this key, hash of its data
 *   C                     checkpoint
 *   P                     header of the projection
 *   S#<stepId>            step of the projection; O#<ordinal> leads to its id
 *   J#<seq>#<part>        steps of a projection that are saved but not yet written as items of their own
 *   K#<seq>               keyframe
 *   Q                     row of the queue
 *
 * Items of many runs:
 *   HEADS#<shard>         / runId: every run, for lists by id
 *   PROJECTIONS#<shard>   / runId: every run with a projection
 *   INDEX#<tenant>|<shard>  / createdAt|runId: row of the run index
 *   LINK#<tenant>|parent|<id>, …|schedule|<id>, …|fork|<id>  / createdAt|runId: runs of a parent, a schedule, an origin
 *   COUNT#<tenant>        / bucket|plan|project|environment|shard: counters of the run index
 *   STALE                 / runId: runs whose projection is marked stale
 *   LANES#<group>         / lane: the last number of a lane of the feed
 *   FEED#<lane>           / number: a change
 *   FOLLOWERS             / name: the saved position of a follower
 *   META                  / table: version of the layout
 */
import { createHash } from "node:crypto";

export interface Key {
  readonly pk: string;
  readonly sk: string;
}

/** Version of the layout. Written by `migrate`, read when a store opens. */
export const LAYOUT_VERSION = 1;
export const metaKey: Key = { pk: "META", sk: "table" };

/** Lists of many runs are divided, because one partition takes only about 1,000 writes a second. */
const SHARDS = 8;

export function shardOf(name: string): number {
  let hash = 0x811c9dc5; // FNV-1a
  for (const byte of Buffer.from(name)) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  return hash % SHARDS;
}

export const allShards: readonly number[] = Array.from({ length: SHARDS }, (_, shard) => shard);

/** Numbers as text of the same length, so that they sort as numbers. */
export function padded(value: number): string {
  return String(value).padStart(16, "0");
}

export const runPartition = (runId: string): string => `RUN#${runId}`;
const inRun = (runId: string, sk: string): Key => ({ pk: runPartition(runId), sk });

export const headKey = (runId: string): Key => inRun(runId, "H");
export const eventKey = (runId: string, seq: number): Key => inRun(runId, `E#${padded(seq)}`);
export const idempotencyItemKey = (runId: string, key: string): Key => inRun(runId, `I#${key}`);
export const checkpointKey = (runId: string): Key => inRun(runId, "C");
export const projectionKey = (runId: string): Key => inRun(runId, "P");
export const queueKey = (runId: string): Key => inRun(runId, "Q");
export const keyframeKey = (runId: string, seq: number): Key => inRun(runId, `K#${padded(seq)}`);

/** A text as part of a sort key: itself, or a hash if it is too long. */
export function keyText(value: string): string {
  return Buffer.byteLength(value) <= 300 ? value : `~${createHash("sha256").update(value).digest("base64url")}`;
}

export const stepKey = (runId: string, stepId: string): Key => inRun(runId, `S#${stepId}`);
export const ordinalKey = (runId: string, ordinal: number): Key => inRun(runId, `O#${padded(ordinal)}`);
export const journalKey = (runId: string, seq: number): Key => inRun(runId, `J#${padded(seq)}`);

/** The end of a sort key in lists by creation. */
export const createdPlace = (createdAt: string, runId: string): string => `${createdAt}|${runId}`;
export const indexKey = (tenantId: string, createdAt: string, runId: string): Key => ({
  pk: `INDEX#${tenantId}|${shardOf(runId)}`,
  sk: createdPlace(createdAt, runId),
});
export type LinkKind = "parent" | "schedule" | "fork";
export const linkPartition = (tenantId: string, kind: LinkKind, id: string): string =>
  `LINK#${tenantId}|${kind}|${keyText(id)}`;

export const headsKey = (runId: string): Key => ({ pk: `HEADS#${shardOf(runId)}`, sk: runId });
