// A database full of runs, made fast: a thousand that were really recorded and projected, and copies of them made by SQL.
// For tests and for the bench.
import { newEvent } from "@runledger/contracts";
import { Client } from "pg";
import { connect } from "runledger";

/** Number of runs that are copied. */
export const TEMPLATES = 1000;
/** Between the creations of two runs: a million of them are about a year. */
const APART_MS = 30_000;

export const PLANS = Array.from({ length: 20 }, (_, n) => `workflow-${n}`);
const PROJECTS = ["shop", "billing"];
const ENVIRONMENTS = ["prod", "staging", "dev"];
const TEAMS = ["core", "data", "growth", "risk", "web"];
const ERRORS = ["the warehouse is closed", "connection refused by 10.0.0.7:5432", "row 17 has no price", "disk full"];

/**
 * @param {string} url of a database whose schema may be empty
 * @param {{ runs: number, until?: number }} options `until`: when the newest was created
 */
export async function manyRuns(url, { runs, until = Date.now() }) {
  await recordTemplates(url, Math.min(runs, TEMPLATES), until);
  const copies = Math.ceil(runs / TEMPLATES) - 1;
  if (copies > 0) await copyRuns(url, copies);
}

/** @param {string} url @param {number} count @param {number} until */
async function recordTemplates(url, count, until) {
  const ledger = await connect(url);
  const numbers = Array.from({ length: count }, (_, n) => n);
  for (const tenant of ["default", "acme"]) {
    const own = numbers.filter((n) => (n % 10 === 9) === (tenant === "acme"));
    const events = own.flatMap((n) => eventsOf(n, tenant, until - n * APART_MS));
    await ledger.store.forTenant(tenant).appendEvents(events);
  }
  await ledger.list().page({ limit: 1 }); // projects them
  await ledger.close();
}

/** @param {number} n @param {string} tenantId @param {number} at */
function eventsOf(n, tenantId, at) {
  const runId = `run-${String(n).padStart(4, "0")}`;
  const planId = PLANS[n % PLANS.length] ?? "";
  const planVersion = `1.${n % 3}.0`;
  const event = (/** @type {string} */ eventType, /** @type {number} */ after, eventData = {}) =>
    newEvent({ runId, eventType, planId, planVersion, emittedAt: new Date(at + after).toISOString(), eventData });
  const queued = event("RunQueued", 0, {
    plan: { planId, planVersion },
    logFormat: 1,
    tenantId,
    projectId: PROJECTS[n % PROJECTS.length],
    environmentId: ENVIRONMENTS[n % ENVIRONMENTS.length],
    runRequestId: `request-${n}`,
    priority: 0,
    labels: { team: TEAMS[n % TEAMS.length], ...(n % 100 === 0 ? { ticket: `T-${n}` } : {}) },
    ...(n % 20 === 3 ? { parent: { runId: "run-0000", stepId: "child" } } : {}),
    ...(n % 5 === 1 ? { schedule: { scheduleId: `schedule-${n % 25}`, tick: new Date(at).toISOString() } } : {}),
  });
  const started = event("RunStarted", 500);
  const error = { code: "STEP_FAILED", message: `${ERRORS[n % ERRORS.length]} (case ${n})`, retryable: false };
  if (n % 100 === 1) return [queued];
  if (n % 100 < 5) return [queued, started];
  if (n % 100 < 13) return [queued, started, event("RunFailed", 9_000, { error, culprit: `step-${n % 7}` })];
  if (n % 100 < 16) return [queued, started, event("RunCancelled", 4_000)];
  return [queued, started, event("RunCompleted", 12_000 + n)];
}

const shifted = (/** @type {string} */ time) => `${time} - c.n * interval '${(TEMPLATES * APART_MS) / 1000} seconds'`;
const iso = (/** @type {string} */ time) =>
  `to_jsonb(to_char((${time}) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))`;
const from = (/** @type {string} */ table) =>
  `FROM (SELECT * FROM runledger.${table} WHERE run_id ~ '^run-[0-9]{4}$') AS t CROSS JOIN generate_series(1, $1::int) AS c (n)`;
const runId = "t.run_id || '-' || c.n";
const dated = (/** @type {string} */ json, /** @type {string} */ time) =>
  `${json} || jsonb_build_object('runId', ${runId}, 'createdAt', ${iso(shifted(time))})`;
const kind = "tenant_id, plan_id, project_id, environment_id, status";

/** The copies have everything but events and steps. A copy is a whole number of minutes older: counters are copied too. */
const COPIES = [
  `INSERT INTO runledger.run_heads (run_id, tenant_id, head_seq, persisted_at)
   SELECT ${runId}, t.tenant_id, t.head_seq, ${shifted("t.persisted_at")} ${from("run_heads")}`,
  `INSERT INTO runledger.run_snapshots (run_id, status, last_event_seq, header)
   SELECT ${runId}, t.status, t.last_event_seq, ${dated("t.header", "(t.header ->> 'createdAt')::timestamptz")} ${from("run_snapshots")}`,
  `INSERT INTO runledger.run_index (run_id, tenant_id, created_at, status, plan_id, plan_version, project_id,
     environment_id, labels, parent_run_id, schedule_id, error_text, summary)
   SELECT ${runId}, t.tenant_id, ${shifted("t.created_at")}, t.status, t.plan_id, t.plan_version, t.project_id,
     t.environment_id, t.labels, t.parent_run_id, t.schedule_id, t.error_text, ${dated("t.summary", "t.created_at")}
   ${from("run_index")}`,
  `INSERT INTO runledger.run_index_labels (tenant_id, label, created_at, run_id)
   SELECT t.tenant_id, t.label, ${shifted("t.created_at")}, ${runId} ${from("run_index_labels")}`,
  `INSERT INTO runledger.run_counts (${kind}, level, bucket, runs)
   SELECT ${kind}, level, ${shifted("bucket")}, runs FROM runledger.run_counts CROSS JOIN generate_series(1, $1::int) AS c (n)
   WHERE level = 'minute' AND runs > 0`,
];

const LARGER_COUNTS = `
DELETE FROM runledger.run_counts WHERE level <> 'minute';
INSERT INTO runledger.run_counts (${kind}, level, bucket, runs)
SELECT ${kind}, larger, starts, sum(runs) FROM runledger.run_counts
CROSS JOIN LATERAL (VALUES
  ('all', '-infinity'::timestamptz), ('day', date_trunc('day', bucket, 'UTC')), ('hour', date_trunc('hour', bucket, 'UTC'))
) AS l (larger, starts)
GROUP BY ${kind}, larger, starts`;

/** Rows come faster where no index is: how to drop each, and how to make it again. */
const INDEXES = `
SELECT format('ALTER TABLE %s DROP CONSTRAINT %I', conrelid::regclass, conname),
  format('ALTER TABLE %s ADD CONSTRAINT %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid))
FROM pg_constraint WHERE contype = 'p' AND conrelid = ANY ($1::regclass[])
UNION ALL
SELECT format('DROP INDEX %s', indexrelid::regclass), pg_get_indexdef(indexrelid)
FROM pg_index WHERE NOT indisprimary AND indrelid = ANY ($1::regclass[])`;

const TABLES = ["run_heads", "run_snapshots", "run_index", "run_index_labels", "run_counts"].map(
  (t) => `runledger.${t}`,
);

/** @param {string} url @param {number} copies */
async function copyRuns(url, copies) {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query("SET maintenance_work_mem = '256MB'; SET work_mem = '256MB'; SET synchronous_commit = off");
    const { rows } = await client.query({ text: INDEXES, values: [TABLES], rowMode: "array" });
    const indexes = /** @type {[string, string][]} */ (rows);
    for (const [drop] of indexes) await client.query(drop);
    for (const statement of COPIES) await client.query(statement, [copies]);
    await client.query(LARGER_COUNTS);
    for (const [, create] of indexes) await client.query(create);
    await client.query(`VACUUM ANALYZE ${TABLES.join(", ")}`);
  } finally {
    await client.end();
  }
}
