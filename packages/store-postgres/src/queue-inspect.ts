/** Queries about the queue. They change nothing. */
import {
  MOST_AHEAD,
  type LimitScope,
  type LimitUse,
  type QueueCount,
  type QueueEntry,
  type QueueFacts,
  type QueuePage,
} from "@runledger/contracts";
import type { Database, Row, Statement } from "./client.js";
import { drainText } from "./limits.js";

const columns = `q.run_id, q.tenant_id, q.project_id, q.plan_id, q.plan_version, q.concurrency_key, q.log_format,
  q.priority, q.queued_at, q.started_at::timestamptz(3), nullif(q.available_at, 'infinity')::timestamptz(3), q.owner,
  q.slot, q.acts_at IS NOT NULL`;

const entry: Statement = {
  name: "queue_entry",
  text: `
SELECT ${columns}, clock_timestamp()::timestamptz(3), ${drainText("'overall'", "''")}
FROM runledger.run_queue q WHERE q.run_id = $1`,
};

/**
 * Counts the runs ahead of a run. Each other tenant has as many runs ahead as its own tenant, plus one if that tenant
 * has waited longer for its turn. Further queued runs of a tenant do not matter and are not counted.
 */
const ahead: Statement = {
  name: "queue_ahead",
  text: `
WITH me AS (
  SELECT q.run_id, q.started_at, q.available_at, q.tenant_id AS own_tenant, l.tenant_id, l.tenant_priority, l.turn, l.turn_since,
    l.priority + q.priority AS rank, clock_timestamp() AS now
  FROM runledger.run_queue q LEFT JOIN runledger.queue_lanes l ON l.lane_id = q.lane_id
  WHERE q.run_id = $1 AND q.owner IS NULL AND q.available_at <= clock_timestamp()
),
returning_first AS (
  SELECT count(*) AS runs, count(*) FILTER (WHERE is_own) AS own_runs FROM (
    SELECT q.tenant_id = me.own_tenant AS is_own
    FROM me JOIN runledger.run_queue q ON q.owner IS NULL AND q.started_at IS NOT NULL
      AND q.available_at < CASE WHEN me.started_at IS NULL THEN me.now ELSE me.available_at END
    LIMIT $2
  ) AS found
),
own AS (
  SELECT count(*) AS runs FROM (
    SELECT FROM me JOIN runledger.queue_lanes l ON l.tenant_id = me.tenant_id
    JOIN runledger.run_queue q ON q.lane_id = l.lane_id AND q.started_at IS NULL AND q.owner IS NULL
      AND q.available_at <= me.now
      AND (l.priority + q.priority, me.available_at, me.run_id) > (me.rank, q.available_at, q.run_id)
    WHERE me.started_at IS NULL LIMIT $2
  ) AS found
),
tenants AS (
  SELECT l.tenant_id, CASE
    WHEN max(l.tenant_priority) > max(me.tenant_priority) THEN $2
    WHEN max(l.tenant_priority) < max(me.tenant_priority) THEN 0
    ELSE (SELECT runs FROM own) + ((min(l.turn), min(l.turn_since)) < (max(me.turn), max(me.turn_since)))::int
  END AS at_most
  FROM me JOIN runledger.queue_lanes l ON l.tenant_id <> me.tenant_id AND l.due_at <= me.now
  WHERE me.started_at IS NULL GROUP BY l.tenant_id
),
others AS (
  SELECT coalesce(sum(first.runs), 0) AS runs FROM tenants t CROSS JOIN LATERAL (
    SELECT count(*) AS runs FROM (
      SELECT FROM runledger.queue_lanes l JOIN runledger.run_queue q ON q.lane_id = l.lane_id AND q.started_at IS NULL
        AND q.owner IS NULL AND q.available_at <= clock_timestamp()
      WHERE l.tenant_id = t.tenant_id LIMIT t.at_most
    ) AS found
  ) AS first
)
SELECT least($2, (SELECT runs FROM returning_first) + (SELECT runs FROM own) + (SELECT runs FROM others))::int,
  least($2, (SELECT own_runs FROM returning_first) + (SELECT runs FROM own))::int`,
};

const uses: Statement = {
  name: "queue_limit_uses",
  text: `
SELECT s.scope, s.subject, l.subject, l.max_running, l.rate_starts, l.rate_ms, l.max_queued, l.priority,
  runledger.count_running(s.scope, s.subject, 2147483647), holders.ids,
  (SELECT (b.started_at + l.rate_ms * interval '1 millisecond')::timestamptz(3) FROM runledger.limit_starts b
   WHERE b.scope = s.scope AND b.subject = s.subject
     AND b.started_at > clock_timestamp() - l.rate_ms * interval '1 millisecond'
   ORDER BY b.started_at DESC OFFSET greatest(l.rate_starts - 1, 0) LIMIT 1),
  ${drainText("s.scope", "s.subject")}
FROM runledger.run_queue q
CROSS JOIN LATERAL (VALUES
  (1, 'overall', ''), (2, 'tenant', q.tenant_id), (3, 'project', q.tenant_id || '|' || q.project_id),
  (4, 'workflow', q.plan_id), (5, 'concurrencyKey', q.tenant_id || '|' || q.concurrency_key)
) AS s (place, scope, subject)
LEFT JOIN LATERAL runledger.limit_for(s.scope, s.subject) AS l ON true
CROSS JOIN LATERAL (
  SELECT array_to_json(ARRAY(
    SELECT h.run_id FROM runledger.run_queue h
    WHERE CASE s.scope
      WHEN 'overall' THEN h.slot
      WHEN 'tenant' THEN h.slot AND h.tenant_id = q.tenant_id
      WHEN 'project' THEN h.slot AND h.tenant_id = q.tenant_id AND h.project_id = q.project_id
      WHEN 'workflow' THEN h.slot AND h.plan_id = q.plan_id
      ELSE h.started_at IS NOT NULL AND h.tenant_id = q.tenant_id AND h.concurrency_key = q.concurrency_key
    END
    ORDER BY h.run_id LIMIT 5
  )) AS ids
) AS holders
WHERE q.run_id = $1 AND s.subject IS NOT NULL AND (l.scope IS NOT NULL OR s.scope = 'concurrencyKey')
ORDER BY s.place`,
};

const list: Statement = {
  name: "queue_list",
  text: `
SELECT ${columns} FROM runledger.run_queue q
WHERE q.run_id > $1 AND ($2::text IS NULL OR q.tenant_id = $2) ORDER BY q.run_id LIMIT $3`,
};

const count: Statement = {
  name: "queue_count",
  text: `
SELECT tenant_id, count(*) FILTER (WHERE started_at IS NULL), count(*) FILTER (WHERE slot),
  count(*) FILTER (WHERE started_at IS NOT NULL AND NOT slot)
FROM runledger.run_queue GROUP BY tenant_id ORDER BY tenant_id`,
};

export async function inspectRun(db: Database, runId: string): Promise<QueueFacts | null> {
  const [row] = await db.read(entry, [runId]);
  if (row === undefined) return null;
  const [[before = 0, own = 0] = []] = await db.read(ahead, [runId, MOST_AHEAD]);
  const limits = (await db.read(uses, [runId])).map(toUse);
  const [now, drain] = row.slice(-2);
  return {
    now: now as string,
    entry: toEntry(row),
    ahead: before as number,
    aheadOfOwn: own as number,
    startsPerSecond: drain as number | null,
    limits,
  };
}

export async function listQueue(db: Database, page: QueuePage): Promise<QueueEntry[]> {
  const { tenantId = null, afterRunId = "", limit = 1000 } = page;
  return (await db.read(list, [afterRunId, tenantId, limit])).map(toEntry);
}

export async function countQueue(db: Database): Promise<QueueCount[]> {
  return (await db.read(count)).map(([tenantId, queued, running, waiting]) => ({
    tenantId: tenantId as string,
    queued: queued as number,
    running: running as number,
    waiting: waiting as number,
  }));
}

function toEntry(row: Row): QueueEntry {
  const [runId, tenantId, projectId, planId, planVersion, concurrencyKey, logFormat, priority] = row;
  const [queuedAt, startedAt, dueAt, owner, slot, acts] = row.slice(8);
  return {
    runId: runId as string,
    tenantId: tenantId as string,
    projectId: projectId as string,
    planId: planId as string,
    planVersion: planVersion as string,
    concurrencyKey: concurrencyKey as string | null,
    logFormat: logFormat as number,
    priority: priority as number,
    queuedAt: queuedAt as string,
    startedAt: startedAt as string | null,
    dueAt: dueAt as string | null,
    owner: owner as string | null,
    slot: slot as boolean,
    acts: acts as boolean,
  };
}

/** A concurrency key without a limit allows one run at a time. */
function toUse(row: Row): LimitUse {
  const [scope, subject, named, maxRunning, rateStarts, rateMs, maxQueued, priority] = row;
  const [running, holders, rateFreeAt, startsPerSecond] = row.slice(8);
  return {
    target: { scope: scope as LimitScope, subject: subject as string },
    limit: {
      scope: scope as LimitScope,
      subject: (named ?? subject) as string,
      maxRunning: named === null ? 1 : (maxRunning as number | null),
      rate: rateStarts === null ? null : { starts: rateStarts as number, perMs: rateMs as number },
      maxQueued: maxQueued as number | null,
      priority: priority as number | null,
    },
    running: running as number,
    holders: holders as readonly string[],
    rateFreeAt: rateFreeAt as string | null,
    startsPerSecond: startsPerSecond as number | null,
  };
}
