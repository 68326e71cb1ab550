/** Runs in the queue: started, claimed, woken, parked. Heads are locked first, then queue rows (P8). */
import {
  checkEvent,
  RunNotFoundError,
  ScheduleChangedError,
  SeqMismatchError,
  StaleLeaseError,
  type Checkpoint,
  type HeldRun,
  type PlanRef,
  type RunledgerError,
  type RunStart,
} from "@runledger/contracts";
import { textArray } from "./arrays.js";
import { firstOf, type Database, type Row, type Statement } from "./client.js";
import { fetchHeads } from "./heads.js";
import { startWith } from "./start-kept.js";
import { runOfTick, TICKED, unlessTicked } from "./schedules.js";

/**
 * Key, head, first event, feed, queue row and tick, all or none (Q1). A key that is there leaves everything out; a tick
 * that is there takes all of it back.
 */
const start: Statement = {
  name: "queue_start",
  text: `
WITH parent AS (
  SELECT FROM runledger.run_heads WHERE run_id = $15 AND lease_epoch = $16 FOR SHARE
),
schedule AS (
  SELECT FROM runledger.schedules WHERE tenant_id = $4 AND schedule_id = $17 AND epoch = $19 FOR SHARE
),
started AS (
  INSERT INTO runledger.run_starts (start_key, run_id, input_hash)
  SELECT $1, $2, $3
  WHERE ($15::text IS NULL OR EXISTS (SELECT FROM parent)) AND ($19::bigint IS NULL OR EXISTS (SELECT FROM schedule))
  ON CONFLICT (start_key) DO NOTHING RETURNING run_id
),
head AS (
  INSERT INTO runledger.run_heads (run_id, tenant_id, head_seq, persisted_at)
  SELECT run_id, $4, 1, clock_timestamp() FROM started RETURNING run_id, persisted_at
),
event AS (
  INSERT INTO runledger.run_events (run_id, run_seq, event_id, logical_attempt_id, event_type, event_data,
    idempotency_key, emitted_at, persisted_at, plan_id, plan_version)
  SELECT run_id, 1, $5::uuid, $6, $7, $8::jsonb, $9, $10::timestamptz, persisted_at, $11, $12 FROM head
),
announced AS (
  INSERT INTO runledger.change_feed (run_ids, head_seqs) SELECT ARRAY[run_id], '{1}' FROM head
),
queued AS (
  INSERT INTO runledger.run_queue (run_id, plan_id, plan_version, log_format, priority, available_at)
  SELECT run_id, $11, $12, $13, $14, persisted_at FROM head
),
ticked AS (
  INSERT INTO runledger.schedule_ticks (tenant_id, schedule_id, tick, run_id)
  SELECT $4, $17, $18::timestamptz, run_id FROM head WHERE $17::text IS NOT NULL
)
SELECT run_id FROM head`,
};

const started: Statement = {
  name: "queue_started",
  text: "SELECT run_id, input_hash FROM runledger.run_starts WHERE start_key = $1",
};

/**
 * A candidate's epoch is compared again once its head is locked: whoever claimed it in between has raised it, and the
 * row is passed over.
 */
const claim: Statement = {
  name: "queue_claim",
  text: `
WITH alive AS (
  SELECT worker_id FROM runledger.workers WHERE expires_at > clock_timestamp()
),
plans AS (
  SELECT * FROM unnest($2::text[], $3::text[]) AS p (plan_id, plan_version)
),
candidates AS (
  (SELECT q.run_id, q.owner FROM plans p JOIN runledger.run_queue q USING (plan_id, plan_version)
   WHERE q.owner IS NULL AND q.available_at <= clock_timestamp() AND q.log_format <= $4
   ORDER BY q.priority DESC, q.available_at LIMIT $5)
  UNION ALL
  (SELECT q.run_id, q.owner FROM runledger.run_queue q JOIN plans p USING (plan_id, plan_version)
   WHERE q.owner IS NOT NULL AND q.owner NOT IN (SELECT worker_id FROM alive) AND q.log_format <= $4 LIMIT $5)
),
free AS (
  SELECT h.run_id, c.owner FROM candidates c
  JOIN runledger.run_heads seen ON seen.run_id = c.run_id
  JOIN runledger.run_heads h ON h.run_id = c.run_id AND h.lease_epoch = seen.lease_epoch
  WHERE $1 IN (SELECT worker_id FROM alive)
  ORDER BY h.run_id LIMIT $5
  FOR UPDATE OF h SKIP LOCKED
),
leased AS (
  UPDATE runledger.run_heads h SET lease_owner = $1, lease_epoch = h.lease_epoch + 1
  FROM free WHERE h.run_id = free.run_id
  RETURNING h.run_id, h.lease_epoch, free.owner AS taken_from, h.head_seq
),
owned AS (
  UPDATE runledger.run_queue q SET owner = $1 FROM leased l WHERE q.run_id = l.run_id
  RETURNING q.run_id, l.lease_epoch, l.taken_from, l.head_seq, q.plan_id, q.plan_version, q.wakes
)
SELECT clock_timestamp()::timestamptz(3), o.* FROM (SELECT 1) AS always LEFT JOIN owned o ON true ORDER BY o.run_id`,
};

const holds: Statement = {
  name: "queue_held",
  text: `
SELECT clock_timestamp()::timestamptz(3), q.run_id, h.lease_epoch, NULL, h.head_seq, q.plan_id, q.plan_version, q.wakes
FROM (SELECT 1) AS always
LEFT JOIN (runledger.run_queue q JOIN runledger.run_heads h ON h.run_id = q.run_id) ON q.owner = $1`,
};

const park: Statement = {
  name: "queue_park",
  text: `
WITH head AS (
  UPDATE runledger.run_heads SET lease_owner = NULL
  WHERE run_id = $1 AND lease_epoch = $2 AND head_seq = $3 RETURNING run_id
),
parked AS (
  UPDATE runledger.run_queue q SET owner = NULL,
    available_at = CASE WHEN q.wakes = $9 THEN coalesce($4::timestamptz, 'infinity') ELSE clock_timestamp() END
  FROM head WHERE q.run_id = head.run_id
),
checkpointed AS (
  INSERT INTO runledger.checkpoints AS k (run_id, seq, format, data, checksum)
  SELECT run_id, $5, $6, $7, $8 FROM head WHERE $5::bigint IS NOT NULL
  ON CONFLICT (run_id) DO UPDATE
    SET seq = EXCLUDED.seq, format = EXCLUDED.format, data = EXCLUDED.data, checksum = EXCLUDED.checksum,
      created_at = clock_timestamp()
    WHERE EXCLUDED.seq > k.seq
)
SELECT count(*) FROM head`,
};

export async function startRun(
  db: Database,
  params: RunStart,
): Promise<{ runId: string; created: boolean; inputHash: string }> {
  const { event, dataJson } = checkEvent(params.event);
  const { runId, eventId, logicalAttemptId, eventType, idempotencyKey, emittedAt, planId = "", planVersion } = event;
  const { startKey, inputHash, tenantId, logFormat, priority, parent, tick } = params;
  const place = [logFormat, priority, parent?.runId ?? null, parent?.epoch ?? null];
  const envelope = [eventId, logicalAttemptId, eventType, dataJson, idempotencyKey, emittedAt, planId, planVersion];
  const scheduled = [tick?.scheduleId ?? null, tick?.tick ?? null, tick?.epoch ?? null];
  const values = [startKey, runId, inputHash, tenantId, ...envelope, ...place, ...scheduled];
  const rows = await startWith(db, start, values, params).catch(unlessTicked);
  const earlier = rows === TICKED ? await runOfTick(db, tenantId, tick!) : null;
  if (earlier !== null) return { runId: earlier, created: false, inputHash };
  if (rows.length > 0) return { runId, created: true, inputHash };
  const [known] = await db.read(started, [startKey]);
  if (known !== undefined) return { runId: known[0] as string, created: false, inputHash: known[1] as string };
  if (tick !== undefined) throw new ScheduleChangedError(tenantId, tick.scheduleId);
  const [head] = await fetchHeads(db, { runIds: [parent!.runId], tenantId: undefined });
  throw new StaleLeaseError(parent!.runId, parent!.epoch, head?.leaseEpoch ?? 0);
}

export async function claimRuns(
  db: Database,
  params: { workerId: string; plans: readonly PlanRef[]; logFormat: number; limit: number },
): Promise<{ now: string; runs: HeldRun[] }> {
  const { workerId, plans, logFormat, limit } = params;
  const names = [textArray(plans.map(({ planId }) => planId)), textArray(plans.map(({ planVersion }) => planVersion))];
  return toHeld(await db.write(claim, [workerId, ...names, logFormat, limit]));
}

export async function heldRuns(db: Database, workerId: string): Promise<{ now: string; runs: HeldRun[] }> {
  return toHeld(await db.read(holds, [workerId]));
}

/** One row at least, for the time; it names no run where there is none. */
function toHeld(rows: readonly Row[]): { now: string; runs: HeldRun[] } {
  const runs = rows
    .filter(([, runId]) => runId !== null)
    .map(([, runId, epoch, takenFrom, headSeq, planId, planVersion, wakes]) => ({
      runId: runId as string,
      epoch: epoch as number,
      takenFrom: takenFrom as string | null,
      headSeq: headSeq as number,
      planId: planId as string,
      planVersion: planVersion as string,
      wakes: wakes as number,
    }));
  return { now: firstOf(rows)[0] as string, runs };
}

export async function parkRun(
  db: Database,
  params: {
    runId: string;
    epoch: number;
    expectedSeq: number;
    wakes: number;
    wakeAt: string | null;
    checkpoint: Checkpoint | null;
  },
): Promise<void> {
  const { runId, epoch, expectedSeq, wakes, wakeAt, checkpoint } = params;
  const saved = [checkpoint?.seq, checkpoint?.format, checkpoint?.data, checkpoint?.checksum].map(
    (part) => part ?? null,
  );
  const [parked] = firstOf(await db.write(park, [runId, epoch, expectedSeq, wakeAt, ...saved, wakes]));
  if (parked !== 1) throw await refusal(db, runId, epoch, expectedSeq);
}

/** Epochs and heads only grow: what refused the park still shows. */
async function refusal(db: Database, runId: string, epoch: number, expectedSeq: number): Promise<RunledgerError> {
  const [head] = await fetchHeads(db, { runIds: [runId], tenantId: undefined });
  if (head === undefined) return new RunNotFoundError(runId);
  if (head.leaseEpoch !== epoch) return new StaleLeaseError(runId, epoch, head.leaseEpoch);
  return new SeqMismatchError(runId, expectedSeq, head.headSeq);
}
