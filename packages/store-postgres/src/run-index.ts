/**
 * Finds runs. A list walks one index of run_index backwards and filters the rows. It reads a bounded number of rows for
 * any filter, and the next page starts where it stopped. Counts are maintained with the rows.
 */
import type { RunFilter, RunSummary } from "@runledger/contracts";
import { labelKey, type IndexOperations, type IndexPlace } from "@runledger/core/store";
import { textArray } from "./arrays.js";
import type { Database, Row, Statement } from "./client.js";
import { indexText, textOrNull } from "./index-rows.js";
import { countRuns, histogram } from "./run-counts.js";

/** The largest number of rows that a page reads. */
const SCAN = 2000;

/**
 * Page sizes of prepared statements: a page uses the next larger one and drops the surplus. The planner knows a
 * constant and plans once; with a parameter it would plan every page.
 */
const SIZES = [21, 51, 101, 251, 1001];

/** Every statement has all parameters, so that each has a type. Rows of a walk are filtered by all of them. */
const wanted = `
  ($5::text[] IS NULL OR i.status = ANY ($5)) AND ($6::text IS NULL OR i.plan_id = $6)
  AND ($7::text IS NULL OR i.plan_version = $7) AND ($8::text IS NULL OR i.project_id = $8)
  AND ($9::text IS NULL OR i.environment_id = $9) AND ($10::text[] IS NULL OR i.labels @> $10)
  AND ($11::text IS NULL OR i.parent_run_id = $11) AND ($12::text IS NULL OR i.schedule_id = $12)
  AND ($13::text IS NULL OR position($13 IN i.error_text) > 0)`;

const range = (of: string): string =>
  `${of}.tenant_id = $1 AND (${of}.created_at, ${of}.run_id) < ($2::timestamptz, $3) AND ${of}.created_at >= $4::timestamptz`;
const newestFirst = (of: string): string => `ORDER BY ${of}.created_at DESC, ${of}.run_id DESC LIMIT {scan}`;

const walk = (condition: string): string =>
  `SELECT i.* FROM runledger.run_index i WHERE ${range("i")} AND ${condition} ${newestFirst("i")}`;

/** One walk per status, then the newest rows of all. */
const walks = (condition: string): string => `
SELECT i.* FROM unnest($5::text[]) AS s (status)
CROSS JOIN LATERAL (${walk(`i.status = s.status AND ${condition}`)}) AS i ${newestFirst("i")}`;

/**
 * The statement reads `looked` in its order and returns the runs that match. If they are too few, it also returns the
 * place where it stopped.
 */
const template = (name: string, looked: string): Statement => ({
  name: `runs_by_${name}_{most}_of_{scan}`,
  text: `
WITH found AS MATERIALIZED (
  SELECT i.run_id, i.created_at, i.tenant_id, i.summary FROM (${looked}) AS i WHERE ${wanted} LIMIT {most}
)
(SELECT f.created_at, f.run_id, f.tenant_id, f.summary,
   (SELECT s.last_event_seq FROM runledger.run_snapshots s WHERE s.run_id = f.run_id),
   (SELECT h.head_seq FROM runledger.run_heads h WHERE h.run_id = f.run_id)
 FROM found f ORDER BY f.created_at DESC, f.run_id DESC)
UNION ALL
(SELECT i.created_at, i.run_id, NULL, NULL, NULL, NULL FROM (${looked}) AS i
 WHERE (SELECT count(*) FROM found) < {most} OFFSET {scan} - 1)`,
});

const templates = {
  parent: template("parent", walk("i.parent_run_id = $11")),
  schedule: template("schedule", walk("i.schedule_id = $12")),
  // A subquery per label: the planner would prepare a join for as many rows as any limit allows, and read the table.
  label: template(
    "label",
    `SELECT i.* FROM (
       SELECT l.run_id, l.created_at FROM runledger.run_index_labels l
       WHERE ${range("l")} AND l.label = ($10::text[])[1] ${newestFirst("l")}
     ) AS l
     CROSS JOIN LATERAL (
       SELECT * FROM runledger.run_index x WHERE x.run_id = l.run_id AND x.created_at = l.created_at OFFSET 0
     ) AS i ${newestFirst("i")}`,
  ),
  version: template("version", walk("i.plan_id = $6 AND i.plan_version = $7")),
  planStatus: template("plan_status", walk("i.plan_id = $6 AND i.status = ($5::text[])[1]")),
  planStatuses: template("plan_statuses", walks("i.plan_id = $6")),
  plan: template("plan", walk("i.plan_id = $6")),
  status: template("status", walk("i.status = ($5::text[])[1]")),
  statuses: template("statuses", walks("true")),
  project: template("project", walk("i.project_id = $8")),
  environment: template("environment", walk("i.environment_id = $9")),
  created: template("created", walk("true")),
};
type Walk = keyof typeof templates;

const statements = new Map<string, Statement>();

/** Returns the same object for equal arguments. There are as many as combinations of walks and sizes. */
function statementOf(by: Walk, scan: number, most: number): Statement {
  const filled = (text: string): string => text.replaceAll("{scan}", String(scan)).replaceAll("{most}", String(most));
  const name = filled(templates[by].name);
  const statement = statements.get(name) ?? { name, text: filled(templates[by].text) };
  statements.set(name, statement);
  return statement;
}

/** Prefers the filter that matches the fewest runs. All other filters are applied row by row. */
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

/** The filters that each walk applies through its index. */
const ANSWERS: Readonly<Record<Walk, readonly (keyof RunFilter)[]>> = {
  parent: ["parentRunId"],
  schedule: ["scheduleId"],
  label: ["labels"],
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

interface ListParams {
  readonly filter: RunFilter;
  readonly after: IndexPlace | null;
  readonly limit: number;
}

async function listRuns(db: Database, params: ListParams): Promise<{ runs: RunSummary[]; end: IndexPlace | null }> {
  const asked = listStatement(params);
  if (asked === null) return { runs: [], end: null };
  const { limit } = params;
  const rows = await db.read(asked.statement, asked.values);
  const found = rows.filter(([, , tenantId]) => tenantId !== null).map(toSummary);
  const stopped = rows.find(([, , tenantId]) => tenantId === null);
  const runs = found.slice(0, limit);
  if (found.length > limit) return { runs, end: runs.at(-1)! };
  return { runs, end: stopped === undefined ? null : { createdAt: stopped[0] as string, runId: stopped[1] as string } };
}

/** Returns `null` if no run can match. */
export function listStatement(params: ListParams): { statement: Statement; values: (string | null)[] } | null {
  const { after, limit } = params;
  const filter = withoutError(params.filter);
  if (filter.status?.length === 0) return null;
  const by = walkOf(filter);
  const most = SIZES.find((size) => size > limit)!;
  const scan = answersAll(by, filter) ? most : Math.max(SCAN, most);
  return { statement: statementOf(by, scan, most), values: [...place(filter, after), ...filterValues(filter)] };
}

/** Returns `true` if every row of the walk matches. */
function answersAll(by: Walk, filter: RunFilter): boolean {
  const isOneLabel = Object.keys(filter.labels ?? {}).length === 1;
  return Object.keys(filter).every(
    (name) => [...RANGE, ...ANSWERS[by]].includes(name as keyof RunFilter) && (name !== "labels" || isOneLabel),
  );
}

/** Only failed runs have an error. */
function withoutError(filter: RunFilter): RunFilter {
  if (filter.errorText === undefined) return filter;
  return { ...filter, status: (filter.status ?? ["FAILED"]).filter((status) => status === "FAILED") };
}

/** Tenant, the place below which to search, and the time at which to stop. */
function place(filter: RunFilter, after: IndexPlace | null): string[] {
  const { tenantId, createdFrom = "-infinity", createdTo = "infinity" } = filter;
  const below = after === null || after.createdAt >= createdTo ? { createdAt: createdTo, runId: "" } : after;
  return [tenantId, below.createdAt, below.runId, createdFrom];
}

function filterValues(filter: RunFilter): (string | null)[] {
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
