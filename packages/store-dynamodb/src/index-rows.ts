/** Rows of the run index and its counters, and the actions that keep them true to a projection. */
import type { RunHeader } from "@runledger/contracts";
import { bucketMs, toIndexRow, type IndexRow } from "@runledger/core/store";
import type { WriteAction } from "./actions.js";
import { hashOf } from "./event-items.js";
import { createdPlace, indexKey, linkPartition, type Key, type LinkKind } from "./table.js";

/** A projection as the index sees it. */
export interface Indexed {
  readonly tenantId: string;
  readonly header: RunHeader;
}

/** The stored form of a row. */
export interface StoredRow extends IndexRow {
  readonly lastEventSeq: number;
  /** The run that this one is a fork of. */
  readonly forkOf: string | null;
}

export function toStoredRow(header: RunHeader): StoredRow {
  const origin: unknown = header.fork?.runId;
  return {
    ...toIndexRow(header),
    lastEventSeq: header.lastEventSeq,
    forkOf: typeof origin === "string" ? origin : null,
  };
}

export function indexActions(before: Indexed | null, after: Indexed | null, slot: number): WriteAction[] {
  const [old, row] = [before && toStoredRow(before.header), after && toStoredRow(after.header)];
  const gone = before === null ? [] : keysOf(before.tenantId, old!);
  const kept = after === null ? [] : keysOf(after.tenantId, row!);
  const isKept = (key: Key): boolean => kept.some(({ pk, sk }) => pk === key.pk && sk === key.sk);
  const isThere = (key: Key): boolean => gone.some(({ pk, sk }) => pk === key.pk && sk === key.sk);
  return [
    ...gone.filter((key) => !isKept(key)).map((key): WriteAction => ({ kind: "delete", key })),
    ...kept
      .filter((key, index) => index === 0 || !isThere(key))
      .map((key, index): WriteAction => ({
        kind: "put",
        item: index === 0 ? rowItem(key, row!) : linkItem(key, row!),
      })),
    ...countActions(before && old && { ...before, row: old }, after && row && { ...after, row }, slot),
  ];
}

const rowItem = (key: Key, row: StoredRow) => ({ ...key, runId: row.summary.runId, d: JSON.stringify(row) });
const linkItem = (key: Key, { summary }: StoredRow) => ({ ...key, runId: summary.runId, createdAt: summary.createdAt });

/** The row itself first, then the lists of its parent, its schedule and its origin. */
function keysOf(tenantId: string, { summary, parentRunId, scheduleId, forkOf }: StoredRow): Key[] {
  const { createdAt, runId } = summary;
  const sk = createdPlace(createdAt, runId);
  const links = { parent: parentRunId, schedule: scheduleId, fork: forkOf };
  const linked = (Object.keys(links) as LinkKind[]).filter((kind) => links[kind] !== null);
  return [
    indexKey(tenantId, createdAt, runId),
    ...linked.map((kind) => ({ pk: linkPartition(tenantId, kind, links[kind]!), sk })),
  ];
}

/** Each counter is divided, because transactions that add to the same item are in conflict. The sum counts. */
export const COUNT_SLOTS = 16;

export const levels = ["all", "day", "hour", "minute"] as const;
export type Level = (typeof levels)[number];

export const countPartition = (tenantId: string): string => `COUNT#${tenantId}`;

/** The start of the bucket that a time belongs to. */
export function bucketOf(level: Level, createdAt: string): string {
  if (level === "all") return "";
  const size = bucketMs[level];
  return new Date(Math.floor(Date.parse(createdAt) / size) * size).toISOString();
}

interface Counted {
  readonly tenantId: string;
  readonly row: StoredRow;
}

function countActions(before: Counted | null, after: Counted | null, slot: number): WriteAction[] {
  const changes = new Map<string, { key: Key; dimensions: string; add: Record<string, number> }>();
  const count = ({ tenantId, row: { summary } }: Counted, by: number): void => {
    const { planId, projectId, environmentId, status, createdAt } = summary;
    const dimensions = JSON.stringify([planId ?? "", projectId ?? "", environmentId ?? ""]);
    for (const level of levels) {
      const sk = `${level}|${bucketOf(level, createdAt)}|${hashOf(dimensions)}|${slot}`;
      const change = changes.get(sk) ?? { key: { pk: countPartition(tenantId), sk }, dimensions, add: {} };
      change.add[status] = (change.add[status] ?? 0) + by;
      changes.set(sk, change);
    }
  };
  if (before !== null) count(before, -1);
  if (after !== null) count(after, 1);
  return [...changes.values()].flatMap(({ key, dimensions, add }): WriteAction[] => {
    const by = Object.fromEntries(Object.entries(add).filter(([, value]) => value !== 0));
    return Object.keys(by).length === 0 ? [] : [{ kind: "update", key, set: { dimensions }, add: by }];
  });
}
