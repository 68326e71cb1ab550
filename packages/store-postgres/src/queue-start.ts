/** Starts a run: once per request, and only if the queue has room for it. */
import {
  checkEvent,
  QueueFullError,
  RunDeletedError,
  ScheduleChangedError,
  StaleLeaseError,
  StopError,
  type LimitScope,
  type LimitTarget,
  type RunStart,
} from "@runledger/contracts";
import { firstOf, type Database, type Row, type Statement } from "./client.js";
import { fetchHeads } from "./heads.js";
import { drainOf } from "./limits.js";
import { runOfTick } from "./schedules.js";
import { startWithKeptEvents } from "./queue-start-fork.js";

/**
 * Writes keys, head, first event, feed, queue row and tick, all or none (Q1). An existing start key leaves everything
 * out. An existing dedupe key or tick rolls everything back. A repeated request gets its result even if the queue is
 * full.
 */
const start: Statement = {
  name: "queue_start",
  limit: "append",
  text: `
WITH parent AS (
  SELECT FROM runledger.run_heads WHERE run_id = $15 AND lease_epoch = $16 FOR SHARE
),
schedule AS (
  SELECT FROM runledger.schedules WHERE tenant_id = $4 AND schedule_id = $17 AND epoch = $19 FOR SHARE
),
place AS MATERIALIZED (
  SELECT CASE WHEN $15::text IS NULL AND NOT EXISTS (SELECT FROM runledger.run_starts WHERE start_key IN ($1, $20))
    THEN runledger.reserve_place($4, $21, $11, $22) END AS missing
),
started AS (
  INSERT INTO runledger.run_starts (start_key, run_id, input_hash)
  SELECT $1, $2, $3 FROM place
  WHERE missing IS NULL AND ($15::text IS NULL OR EXISTS (SELECT FROM parent))
    AND ($19::bigint IS NULL OR EXISTS (SELECT FROM schedule))
  ON CONFLICT (start_key) DO NOTHING RETURNING run_id
),
deduped AS (
  INSERT INTO runledger.run_starts (start_key, run_id, input_hash)
  SELECT $20, run_id, $3 FROM started WHERE $20::text IS NOT NULL
),
head AS (
  INSERT INTO runledger.run_heads (run_id, tenant_id, head_seq, persisted_at)
  SELECT run_id, $4, 1, clock_timestamp() FROM started RETURNING run_id, persisted_at
),
event AS (
  INSERT INTO runledger.run_events (run_id, run_seq, event_id, logical_attempt_id, event_type, event_data,
    idempotency_key, emitted_at, persisted_at, plan_id, plan_version, content_hash)
  SELECT run_id, 1, $5::uuid, $6, $7, $8::jsonb, $9, $10::timestamptz, persisted_at, $11, $12,
    runledger.event_hash(1, $5::uuid, $10::timestamptz, persisted_at, NULL, $8::jsonb)
  FROM head
),
announced AS (
  INSERT INTO runledger.change_feed (run_ids, head_seqs) SELECT ARRAY[run_id], '{1}' FROM head
),
queued AS (
  INSERT INTO runledger.run_queue (run_id, plan_id, plan_version, log_format, priority, available_at, tenant_id,
    project_id, concurrency_key, lane_id, held)
  SELECT run_id, $11, $12, $13, $14, due_at, $4, $21, $22,
    runledger.open_lane($4, $21, $11, $12, $13, due_at),
    due_at <= persisted_at AND EXISTS (
      SELECT FROM runledger.run_queue WHERE held AND tenant_id = $4 AND concurrency_key = $22
    )
  FROM (SELECT run_id, persisted_at, greatest(least(persisted_at, clock_timestamp()), $23::timestamptz) AS due_at FROM head) AS due
),
ticked AS (
  INSERT INTO runledger.schedule_ticks (tenant_id, schedule_id, tick, run_id)
  SELECT $4, $17, $18::timestamptz, run_id FROM head WHERE $17::text IS NOT NULL
)
SELECT (SELECT run_id FROM head), missing, $22::text IS NOT NULL OR EXISTS (SELECT FROM runledger.limits) FROM place`,
};

const started: Statement = {
  name: "queue_started",
  text: `
SELECT s.run_id, s.input_hash, d.run_id IS NOT NULL AND h.run_id IS NULL
FROM runledger.run_starts s
LEFT JOIN runledger.deleted_runs d ON d.run_id = s.run_id
LEFT JOIN runledger.run_heads h ON h.run_id = s.run_id
WHERE s.start_key IN ($1, $2) ORDER BY s.start_key = $1 DESC LIMIT 1`,
};

export interface Started {
  readonly runId: string;
  readonly created: boolean;
  readonly inputHash: string;
  readonly limited: boolean;
}

export async function startRun(db: Database, params: RunStart): Promise<Started> {
  const { inputHash, tenantId, parent, tick } = params;
  const row = await startWithKeptEvents(db, start, valuesOf(params), params).then(firstOf).catch(taken);
  const earlier = row === TICKED ? await runOfTick(db, tenantId, tick!) : null;
  if (earlier !== null) return { runId: earlier, created: false, inputHash, limited: false };
  const [runId, missing, limited] = row;
  if (typeof runId === "string") return { runId, created: true, inputHash, limited: limited as boolean };
  const known = await knownRun(db, params);
  if (known !== null) return known;
  if (typeof missing === "string") throw await fullError(db, missing);
  if (tick !== undefined) throw new ScheduleChangedError(tenantId, tick.scheduleId);
  const [head] = await fetchHeads(db, { runIds: [parent!.runId], tenantId: undefined });
  throw new StaleLeaseError(parent!.runId, parent!.epoch, head?.leaseEpoch ?? 0);
}

function valuesOf(params: RunStart): unknown[] {
  const { event, dataJson } = checkEvent(params.event);
  const { runId, eventId, logicalAttemptId, eventType, idempotencyKey, emittedAt, planId = "", planVersion } = event;
  const { startKey, inputHash, tenantId, logFormat, priority, parent, tick } = params;
  const { dedupeKey = null, projectId = "default", concurrencyKey = null, startAt = null } = params;
  const envelope = [eventId, logicalAttemptId, eventType, dataJson, idempotencyKey, emittedAt, planId, planVersion];
  const place = [logFormat, priority, parent?.runId ?? null, parent?.epoch ?? null];
  const scheduled = [tick?.scheduleId ?? null, tick?.tick ?? null, tick?.epoch ?? null];
  const admission = [dedupeKey, projectId, concurrencyKey, startAt];
  return [startKey, runId, inputHash, tenantId, ...envelope, ...place, ...scheduled, ...admission];
}

/** Replaces the row of a start that was rolled back, because its schedule tick or its dedupe key already has a run. */
const TICKED: Row = [];
const DEDUPED: Row = [];

function taken(error: unknown): Row {
  const cause = error instanceof StopError ? (error.cause as { constraint?: string } | undefined) : undefined;
  if (cause?.constraint === "schedule_ticks_pkey") return TICKED;
  if (cause?.constraint === "run_starts_pkey") return DEDUPED;
  throw error;
}

async function knownRun(db: Database, { startKey, dedupeKey }: RunStart): Promise<Started | null> {
  const [known] = await db.read(started, [startKey, dedupeKey ?? null]);
  if (known === undefined) return null;
  if (known[2] === true) throw new RunDeletedError(known[0] as string);
  return { runId: known[0] as string, created: false, inputHash: known[1] as string, limited: false };
}

async function fullError(db: Database, missing: string): Promise<QueueFullError> {
  const split = missing.indexOf("|");
  const target: LimitTarget = { scope: missing.slice(0, split) as LimitScope, subject: missing.slice(split + 1) };
  return new QueueFullError(target, await drainOf(db, target));
}
