import { compareIds } from "./heads.js";
import type {
  HistogramBar,
  HistogramBucket,
  RunCountFilter,
  RunCounts,
  RunFilter,
  RunSummary,
} from "@runledger/contracts";
import {
  bucketMs,
  labelKey,
  noRuns,
  toIndexRow,
  type IndexOperations,
  type IndexPlace,
  type IndexRow,
} from "@runledger/core/store";
import { headOf, type Tables } from "./tables.js";

/** A row of the index, derived on every read, so that it cannot differ from the projection. */
interface Found {
  readonly row: IndexRow;
  readonly run: RunSummary;
}

export function runIndex(tables: Tables): IndexOperations {
  return {
    listRuns: async (params) => listRuns(tables, params),
    countRuns: async (filter) => countRuns(tables, filter),
    histogram: async (params) => histogram(tables, params),
  };
}

function listRuns(
  tables: Tables,
  params: { readonly filter: RunFilter; readonly after: IndexPlace | null; readonly limit: number },
): { runs: RunSummary[]; end: IndexPlace | null } {
  const { filter, after, limit } = params;
  const found = allRuns(tables, filter)
    .filter((each) => matches(each, filter) && (after === null || newestFirst(after, each.run) < 0))
    .map(({ run }) => run)
    .sort(newestFirst);
  const runs = found.slice(0, limit);
  return { runs, end: found.length > limit ? runs.at(-1)! : null };
}

function countRuns(tables: Tables, filter: RunCountFilter): RunCounts {
  const counts = noRuns();
  for (const { run } of allRuns(tables, filter)) counts[run.status]++;
  return counts;
}

function histogram(
  tables: Tables,
  params: {
    readonly filter: RunCountFilter;
    readonly from: string;
    readonly to: string;
    readonly bucket: HistogramBucket;
  },
): HistogramBar[] {
  const { filter, from, to, bucket } = params;
  const bars = new Map<string, ReturnType<typeof noRuns>>();
  for (const { run } of allRuns(tables, filter)) {
    if (run.createdAt < from || run.createdAt >= to) continue;
    const size = bucketMs[bucket];
    const at = new Date(Math.floor(Date.parse(run.createdAt) / size) * size).toISOString();
    const counts = bars.get(at) ?? noRuns();
    counts[run.status]++;
    bars.set(at, counts);
  }
  return [...bars].map(([at, counts]) => ({ at, counts })).sort((a, b) => (a.at < b.at ? -1 : 1));
}

function allRuns(tables: Tables, filter: RunCountFilter): Found[] {
  const { tenantId, planId, projectId, environmentId } = filter;
  const wanted = Object.entries({ planId, projectId, environmentId }).filter(([, value]) => value !== undefined);
  return [...tables.projections.values()].flatMap(({ header }) => {
    const head = tables.runs.get(header.runId);
    if (head?.tenantId !== tenantId) return [];
    const row = toIndexRow(header);
    if (wanted.some(([name, value]) => row.summary[name as keyof typeof row.summary] !== value)) return [];
    const stale = headOf(head) > header.lastEventSeq ? { stale: true } : {};
    return [{ row, run: { ...row.summary, tenantId, lastEventSeq: header.lastEventSeq, ...stale } }];
  });
}

function matches({ row, run }: Found, filter: RunFilter): boolean {
  const { status, planVersion, labels = {}, createdFrom, createdTo, errorText, parentRunId, scheduleId } = filter;
  return (
    (status === undefined || status.includes(run.status)) &&
    (planVersion === undefined || run.planVersion === planVersion) &&
    Object.entries(labels).every(([name, value]) => row.labels.includes(labelKey(name, value))) &&
    (createdFrom === undefined || run.createdAt >= createdFrom) &&
    (createdTo === undefined || run.createdAt < createdTo) &&
    (errorText === undefined || row.errorText?.includes(errorText.toLowerCase()) === true) &&
    (parentRunId === undefined || row.parentRunId === parentRunId) &&
    (scheduleId === undefined || row.scheduleId === scheduleId)
  );
}

function newestFirst(a: IndexPlace, b: IndexPlace): number {
  if (a.createdAt !== b.createdAt) return a.createdAt > b.createdAt ? -1 : 1;
  return compareIds(b.runId, a.runId);
}
