/** Starts of several runs in one statement and one commit. */
import { checkEvent, type RunStart } from "@runledger/contracts";
import { numberArray, plainTextArray, textArray } from "./arrays.js";
import { firstOf, type Database, type Statement } from "./client.js";
import type { Started } from "./queue-start.js";

/**
 * Like the start of one run: keys, heads, first events, feed and queue rows, all or none (Q1). Keys, heads and lanes
 * are locked in an order that all starts share (P8). A run whose key exists is left out. If the queue has no room for
 * all runs, all are left out.
 */
const startMany: Statement = {
  name: "queue_start_many",
  limit: "append",
  text: `
WITH asked AS MATERIALIZED (
  SELECT unnest($1::text[]) AS start_key, unnest($2::text[]) AS run_id, unnest($3::text[]) AS input_hash,
    unnest($4::text[]) AS tenant_id, unnest($5::text[]) AS project_id, unnest($6::text[]) AS concurrency_key,
    unnest($7::integer[]) AS log_format, unnest($8::integer[]) AS priority, unnest($9::uuid[]) AS event_id,
    unnest($10::text[]) AS logical_attempt_id, unnest($11::text[]) AS event_type, unnest($12::jsonb[]) AS event_data,
    unnest($13::text[]) AS idempotency_key, unnest($14::timestamptz[]) AS emitted_at, unnest($15::text[]) AS plan_id,
    unnest($16::text[]) AS plan_version
),
place AS MATERIALIZED (
  SELECT runledger.reserve_places($4::text[], $5::text[], $15::text[], $6::text[]) AS missing, clock_timestamp() AS at
),
started AS (
  INSERT INTO runledger.run_starts (start_key, run_id, input_hash)
  SELECT a.start_key, a.run_id, a.input_hash FROM place, asked a
  WHERE place.missing IS NULL ORDER BY a.start_key COLLATE "C"
  ON CONFLICT (start_key) DO NOTHING RETURNING run_id
),
heads AS (
  INSERT INTO runledger.run_heads (run_id, tenant_id, head_seq, persisted_at)
  SELECT a.run_id, a.tenant_id, 1, clock_timestamp() FROM started s JOIN asked a ON a.run_id = s.run_id
  ORDER BY a.run_id COLLATE "C"
  RETURNING run_id, persisted_at
),
events AS (
  INSERT INTO runledger.run_events (run_id, run_seq, event_id, logical_attempt_id, event_type, event_data,
    idempotency_key, emitted_at, persisted_at, plan_id, plan_version, content_hash)
  SELECT h.run_id, 1, a.event_id, a.logical_attempt_id, a.event_type, a.event_data, a.idempotency_key, a.emitted_at,
    h.persisted_at, a.plan_id, a.plan_version,
    runledger.event_hash(1, a.event_id, a.emitted_at, h.persisted_at, NULL, a.event_data)
  FROM heads h JOIN asked a ON a.run_id = h.run_id
),
announced AS (
  INSERT INTO runledger.change_feed (run_ids, head_seqs)
  SELECT array_agg(run_id), array_agg(1::bigint) FROM heads HAVING count(*) > 0
),
lanes AS MATERIALIZED (
  SELECT l.*, runledger.open_lane(l.tenant_id, l.project_id, l.plan_id, l.plan_version, l.log_format, l.at) AS lane_id
  FROM (
    SELECT DISTINCT a.tenant_id, a.project_id, a.plan_id, a.plan_version, a.log_format, place.at
    FROM place, heads h JOIN asked a ON a.run_id = h.run_id
    ORDER BY a.tenant_id, a.project_id, a.plan_id, a.plan_version, a.log_format
  ) l
),
queued AS (
  INSERT INTO runledger.run_queue (run_id, plan_id, plan_version, log_format, priority, available_at, tenant_id,
    project_id, concurrency_key, lane_id, held)
  SELECT a.run_id, a.plan_id, a.plan_version, a.log_format, a.priority, l.at, a.tenant_id, a.project_id, a.concurrency_key,
    l.lane_id, EXISTS (
      SELECT FROM runledger.run_queue q
      WHERE q.held AND q.tenant_id = a.tenant_id AND q.concurrency_key = a.concurrency_key
    )
  FROM lanes l
  JOIN asked a ON (a.tenant_id, a.project_id, a.plan_id, a.plan_version, a.log_format)
    = (l.tenant_id, l.project_id, l.plan_id, l.plan_version, l.log_format)
  JOIN heads h ON h.run_id = a.run_id
)
SELECT ARRAY(SELECT run_id FROM heads), EXISTS (SELECT FROM runledger.limits)`,
};

/** Returns the runs that were started. The caller must start the others alone to learn why they were left out. */
export async function startRuns(db: Database, starts: readonly RunStart[]): Promise<ReadonlyMap<RunStart, Started>> {
  const [runIds, hasLimits] = firstOf(await db.write(startMany, valuesOf(starts))) as [readonly string[], boolean];
  const created = new Set(runIds);
  const begun = starts.filter(({ event }) => created.has(event.runId));
  return new Map(
    begun.map((start) => {
      const { inputHash, concurrencyKey } = start;
      const limited = hasLimits || concurrencyKey !== undefined;
      return [start, { runId: start.event.runId, created: true, inputHash, limited }];
    }),
  );
}

function valuesOf(starts: readonly RunStart[]): string[] {
  const checked = starts.map(({ event }) => checkEvent(event));
  const events = checked.map(({ event }) => event);
  return [
    textArray(starts.map(({ startKey }) => startKey)),
    plainTextArray(events.map(({ runId }) => runId)),
    textArray(starts.map(({ inputHash }) => inputHash)),
    plainTextArray(starts.map(({ tenantId }) => tenantId)),
    plainTextArray(starts.map(({ projectId = "default" }) => projectId)),
    plainTextArray(starts.map(({ concurrencyKey = null }) => concurrencyKey)),
    numberArray(starts.map(({ logFormat }) => logFormat)),
    numberArray(starts.map(({ priority }) => priority)),
    plainTextArray(events.map(({ eventId }) => eventId)),
    plainTextArray(events.map(({ logicalAttemptId }) => logicalAttemptId)),
    plainTextArray(events.map(({ eventType }) => eventType)),
    plainTextArray(checked.map(({ dataJson }) => dataJson)),
    plainTextArray(events.map(({ idempotencyKey }) => idempotencyKey)),
    plainTextArray(events.map(({ emittedAt }) => emittedAt)),
    plainTextArray(events.map(({ planId = "" }) => planId)),
    plainTextArray(events.map(({ planVersion }) => planVersion)),
  ];
}
