/**
 * Finding runs. A list walks one index of run_index backwards and keeps what else was asked for; how many rows it walks
 * is bounded, whatever is asked, and where it stopped is where the next page begins. Counts are not counted: they are
 * kept with the rows.
 */
import type { RunFilter, RunSummary } from "@runledger/contracts";
import { labelKey, type IndexOperations, type IndexPlace } from "@runledger/core/store";
import { textArray } from "./arrays.js";
import type { Database, Row, Statement } from "./client.js";
import { indexText, textOrNull } from "./index-rows.js";
import { countRuns, histogram } from "./run-counts.js";

/** How many rows one page looks at, at most. */
const SCAN = 2000;

/** All parameters are in every statement, so that each has a type. Rows that the walk met are judged by all of them. */
const wanted = `
  ($7::text[] IS NULL OR i.status = ANY ($7)) AND ($8::text IS NULL OR i.plan_id = $8)
  AND ($9::text IS NULL OR i.plan_version = $9) AND ($10::text IS NULL OR i.project_id = $10)
  AND ($11::text IS NULL OR i.environment_id = $11) AND ($12::text[] IS NULL OR i.labels @> $12)
  AND ($13::text IS NULL OR i.parent_run_id = $13) AND ($14::text IS NULL OR i.schedule_id = $14)
  AND ($15::text IS NULL OR position($15 IN i.error_text) > 0)`;

const range = (of: string): string =>
  `${of}.tenant_id = $1 AND (${of}.created_at, ${of}.run_id) < ($2::timestamptz, $3) AND ${of}.created_at >= $4::timestamptz`;
const newestFirst = (of: string): string => `ORDER BY ${of}.created_at DESC, ${of}.run_id DESC LIMIT $5`;

const walk = (condition: string): string =>
  `SELECT i.* FROM runledger.run_index i WHERE ${range("i")} AND ${condition} ${newestFirst("i")}`;

/** One walk per status, then the newest of them all. */
const walks = (condition: string): string => `
SELECT i.* FROM unnest($7::text[]) AS s (status)
CROSS JOIN LATERAL (${walk(`i.status = s.status AND ${condition}`)}) AS i ${newestFirst("i")}`;

/** The statement looks at `looked`, in its order, and gives the runs that are wanted; and, where they are too few, the place at which it stopped looking. */
const statement = (name: string, looked: string): Statement => ({
  name: `runs_by_${name}`,
  text: `
WITH found AS MATERIALIZED (
  SELECT i.run_id, i.created_at, i.tenant_id, i.summary FROM (${looked}) AS i WHERE ${wanted} LIMIT $6
)
(SELECT f.created_at, f.run_id, f.tenant_id, f.summary, s.last_event_seq, h.head_seq
 FROM found f
 LEFT JOIN runledger.run_snapshots s ON s.run_id = f.run_id
 LEFT JOIN runledger.run_heads h ON h.run_id = f.run_id
 ORDER BY f.created_at DESC, f.run_id DESC)
UNION ALL
(SELECT i.created_at, i.run_id, NULL, NULL, NULL, NULL FROM (${looked}) AS i
 WHERE (SELECT count(*) FROM found) < $6 OFFSET $5 - 1)`,
});

const statements = {
  parent: statement("parent", walk("i.parent_run_id = $13")),
  schedule: statement("schedule", walk("i.schedule_id = $14")),
  label: statement(
    "label",
    `SELECT i.* FROM runledger.run_index_labels l
     JOIN runledger.run_index i ON i.run_id = l.run_id AND i.created_at = l.created_at
     WHERE ${range("l")} AND l.label = ($12::text[])[1] ${newestFirst("l")}`,
  ),
  version: statement("version", walk("i.plan_id = $8 AND i.plan_version = $9")),
  planStatus: statement("plan_status", walk("i.plan_id = $8 AND i.status = ($7::text[])[1]")),
  planStatuses: statement("plan_statuses", walks("i.plan_id = $8")),
  plan: statement("plan", walk("i.plan_id = $8")),
  status: statement("status", walk("i.status = ($7::text[])[1]")),
  statuses: statement("statuses", walks("true")),
  project: statement("project", walk("i.project_id = $10")),
  environment: statement("environment", walk("i.environment_id = $11")),
  created: statement("created", walk("true")),
};
type Walk = keyof typeof statements;

/** What belongs to fewest runs goes first; and what else was asked for must be looked at row by row. */
function walkOf(filter: RunFilter): Walk {
  const { status, planId } = filter;
  const byStatus = status === undefined ? "" : status.length === 1 ? "Status" : "Statuses";
  if (filter.parentRunId !== undefined) return "parent";
  if (filter.scheduleId !== undefined) return "schedule";
  if (Object.keys(filter.labels ?? {}).length > 0) return "label";
  if (planId !== undefined && filter.planVersion !== undefined) return "version";
  if (planId !== undefined) return `plan${byStatus}`;
  if (byStatus !== "") return byStatus === "Status" ? "status" : "statuses";
  if (filter.projectId !== undefined) return "project";
  return filter.environmentId === undefined ? "created" : "environment";
}

/** What a walk answers by itself. */
const ANSWERS: Readonly<Record<Walk, readonly (keyof RunFilter)[]>> = {
  parent: ["parentRunId"],
  schedule: ["scheduleId"],
  label: [],
  version: ["planId", "planVersion"],
  planStatus: ["planId", "status"],
  planStatuses: ["planId", "status"],
  plan: ["planId"],
  status: ["status"],
  statuses: ["status"],
  project: ["projectId"],
  environment: ["environmentId"],
  created: [],
};
const RANGE: readonly (keyof RunFilter)[] = ["tenantId", "createdFrom", "createdTo"];

export function runIndex(db: Database): IndexOperations {
  return {
    listRuns: (params) => listRuns(db, params),
    countRuns: (filter) => countRuns(db, filter),
    histogram: (params) => histogram(db, params),
  };
}

async function listRuns(
  db: Database,
  params: { readonly filter: RunFilter; readonly after: IndexPlace | null; readonly limit: number },
): Promise<{ runs: RunSummary[]; end: IndexPlace | null }> {
  const { after, limit } = params;
  const filter = withoutError(params.filter);
  if (filter.status?.length === 0) return { runs: [], end: null };
  const by = walkOf(filter);
  const exact = Object.keys(filter).every((name) => [...RANGE, ...ANSWERS[by]].includes(name as keyof RunFilter));
  const scan = exact ? limit + 1 : Math.max(SCAN, limit + 1);
  const rows = await db.read(statements[by], [...place(filter, after), scan, limit + 1, ...filterValues(filter)]);
  const found = rows.filter(([, , tenantId]) => tenantId !== null).map(toSummary);
  const stopped = rows.find(([, , tenantId]) => tenantId === null);
  const runs = found.slice(0, limit);
  if (found.length > limit) return { runs, end: runs.at(-1)! };
  return { runs, end: stopped === undefined ? null : { createdAt: stopped[0] as string, runId: stopped[1] as string } };
}

/** Only failed runs have an error. */
function withoutError(filter: RunFilter): RunFilter {
  if (filter.errorText === undefined) return filter;
  return { ...filter, status: (filter.status ?? ["FAILED"]).filter((status) => status === "FAILED") };
}

/** Tenant, the place below which to look, and the time at which to stop. */
function place(filter: RunFilter, after: IndexPlace | null): unknown[] {
  const { tenantId, createdFrom = "-infinity", createdTo = "infinity" } = filter;
  const below = after === null || after.createdAt >= createdTo ? { createdAt: createdTo, runId: "" } : after;
  return [tenantId, below.createdAt, below.runId, createdFrom];
}

function filterValues(filter: RunFilter): unknown[] {
  const { status, planId, planVersion, projectId, environmentId, parentRunId, scheduleId, errorText } = filter;
  const labels = Object.entries(filter.labels ?? {}).map(([name, value]) => indexText(labelKey(name, value)));
  return [
    status === undefined ? null : textArray(status),
    ...[planId, planVersion, projectId, environmentId].map(textOrNull),
    labels.length === 0 ? null : textArray(labels),
    ...[parentRunId, scheduleId].map(textOrNull),
    errorText?.toLowerCase() ?? null,
  ];
}

function toSummary([, , tenantId, summary, lastEventSeq, headSeq]: Row): RunSummary {
  const stale = (headSeq as number) > (lastEventSeq as number) ? { stale: true } : {};
  return { ...(summary as RunSummary), tenantId: tenantId as string, lastEventSeq: lastEventSeq as number, ...stale };
}
