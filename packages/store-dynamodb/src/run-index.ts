/** Finds runs. Rows are read newest first from all shards of the tenant, and filtered here. */
import type {
  HistogramBar,
  HistogramBucket,
  RunCountFilter,
  RunCounts,
  RunFilter,
  RunStatus,
  RunSummary,
} from "@runledger/contracts";
import { runStatuses } from "@runledger/contracts";
import { labelKey, noRuns, type IndexOperations, type IndexPlace } from "@runledger/core/store";
import type { Db } from "./db.js";
import { json, numberOrNull, text, type Item } from "./encoding.js";
import { compareIds, readHeads } from "./heads.js";
import { countPartition, type Level, type StoredRow } from "./index-rows.js";
import { getItems, queryAll } from "./items.js";
import { allShards, createdPlace, indexKey, linkPartition } from "./table.js";

export function runIndex(db: Db): IndexOperations {
  return {
    listRuns: (params) => listRuns(db, params),
    countRuns: (filter) => countRuns(db, filter),
    histogram: (params) => histogram(db, params),
  };
}

interface ListParams {
  readonly filter: RunFilter;
  readonly after: IndexPlace | null;
  readonly limit: number;
}

/** Rows that one page examines at most. */
const MOST_EXAMINED = 4000;

async function listRuns(db: Db, params: ListParams): Promise<{ runs: RunSummary[]; end: IndexPlace | null }> {
  const { filter, limit } = params;
  const found: StoredRow[] = [];
  let examined = 0;
  let after = params.after;
  for (;;) {
    const { rows, isEnd } = await readRows(db, filter, after, Math.max(limit, 100));
    for (const row of rows) {
      after = row.summary;
      if (matches(row, filter)) found.push(row);
      if (found.length > limit)
        return { runs: await summaries(db, filter.tenantId, found.slice(0, limit)), end: found[limit - 1]!.summary };
    }
    examined += rows.length;
    if (isEnd) return { runs: await summaries(db, filter.tenantId, found), end: null };
    if (examined >= MOST_EXAMINED) return { runs: await summaries(db, filter.tenantId, found), end: after };
  }
}

/** The next rows in list order. Children of a run and runs of a schedule have lists of their own. */
async function readRows(db: Db, filter: RunFilter, after: IndexPlace | null, size: number) {
  const { tenantId, parentRunId, scheduleId } = filter;
  if (parentRunId !== undefined)
    return readLinked(db, tenantId, linkPartition(tenantId, "parent", parentRunId), after, size);
  if (scheduleId !== undefined)
    return readLinked(db, tenantId, linkPartition(tenantId, "schedule", scheduleId), after, size);
  const perShard = Math.ceil(size / allShards.length) + 4;
  const pages = await Promise.all(
    allShards.map((shard) => readDescending(db, `INDEX#${tenantId}|${shard}`, filter, after, perShard)),
  );
  const ends = pages.filter((page) => page.length >= perShard).map((page) => text(page.at(-1)!, "sk"));
  const bound = ends.sort(compareIds).at(-1); // below it, a shard may have rows that were not read
  const items = pages.flat().filter((item) => bound === undefined || compareIds(text(item, "sk"), bound) >= 0);
  items.sort((a, b) => compareIds(text(b, "sk"), text(a, "sk")));
  return { rows: items.map(toRow), isEnd: bound === undefined };
}

const toRow = (item: Item): StoredRow => json(item, "d") as StoredRow;

/** Items below `after`, the highest first, within the filter's time. */
async function readDescending(db: Db, pk: string, filter: RunFilter, after: IndexPlace | null, limit: number) {
  const { createdFrom = "", createdTo } = filter;
  const place = after === null ? null : createdPlace(after.createdAt, after.runId);
  const to = [place, createdTo ?? null].filter((one) => one !== null).sort(compareIds)[0];
  const range = { pk, from: createdFrom, ...(to === undefined ? {} : { to }), descending: true };
  const items = await queryAll(db.client, { ...range, limit: limit + 1 });
  return items.filter((item) => item["sk"] !== place).slice(0, limit);
}

async function readLinked(db: Db, tenantId: string, pk: string, after: IndexPlace | null, size: number) {
  const links = await readDescending(db, pk, { tenantId }, after, size);
  const keys = links.map((link) => indexKey(tenantId, text(link, "createdAt"), text(link, "runId")));
  const items = (await getItems(db.client, keys)).filter((item) => item !== null);
  return { rows: items.map(toRow), isEnd: links.length < size };
}

function matches({ summary, labels, errorText, parentRunId, scheduleId }: StoredRow, filter: RunFilter): boolean {
  const exact = ["planId", "planVersion", "projectId", "environmentId"] as const;
  return (
    exact.every((name) => filter[name] === undefined || summary[name] === filter[name]) &&
    (filter.status === undefined || filter.status.includes(summary.status)) &&
    Object.entries(filter.labels ?? {}).every(([name, value]) => labels.includes(labelKey(name, value))) &&
    (filter.createdFrom === undefined || summary.createdAt >= filter.createdFrom) &&
    (filter.createdTo === undefined || summary.createdAt < filter.createdTo) &&
    (filter.errorText === undefined || errorText?.includes(filter.errorText.toLowerCase()) === true) &&
    (filter.parentRunId === undefined || parentRunId === filter.parentRunId) &&
    (filter.scheduleId === undefined || scheduleId === filter.scheduleId)
  );
}

async function summaries(db: Db, tenantId: string, rows: readonly StoredRow[]): Promise<RunSummary[]> {
  const heads = await readHeads(
    db.client,
    rows.map(({ summary }) => summary.runId),
  );
  return rows.map(({ summary, lastEventSeq }, index) => {
    const stale = (heads[index]?.headSeq ?? 0) > lastEventSeq ? { stale: true } : {};
    return { ...summary, tenantId, lastEventSeq, ...stale };
  });
}

async function countRuns(db: Db, filter: RunCountFilter): Promise<RunCounts> {
  const counts = noRuns();
  for (const item of await readCounts(db, filter, "all", "", "~")) addTo(counts, item);
  return counts;
}

async function histogram(
  db: Db,
  params: {
    readonly filter: RunCountFilter;
    readonly from: string;
    readonly to: string;
    readonly bucket: HistogramBucket;
  },
): Promise<HistogramBar[]> {
  const bars = new Map<string, Record<RunStatus, number>>();
  for (const item of await readCounts(db, params.filter, params.bucket, params.from, params.to)) {
    const at = text(item, "sk").split("|")[1]!;
    const counts = bars.get(at) ?? noRuns();
    addTo(counts, item);
    bars.set(at, counts);
  }
  const isFull = (counts: RunCounts): boolean => Object.values(counts).some((count) => count !== 0);
  return [...bars].map(([at, counts]) => ({ at, counts })).filter(({ counts }) => isFull(counts));
}

/** Counters of the buckets from `from` up to, not including, `to`, ascending. */
async function readCounts(db: Db, filter: RunCountFilter, level: Level, from: string, to: string): Promise<Item[]> {
  const range = { from: `${level}|${from}|`, to: `${level}|${to}` };
  const items = await queryAll(db.client, { pk: countPartition(filter.tenantId), ...range });
  const wanted = [filter.planId, filter.projectId, filter.environmentId];
  return items.filter((item) => {
    const dimensions = json(item, "dimensions") as readonly string[];
    return wanted.every((value, index) => value === undefined || dimensions[index] === value);
  });
}

function addTo(counts: Record<RunStatus, number>, item: Item): void {
  for (const status of runStatuses) counts[status] += numberOrNull(item, status) ?? 0;
}
