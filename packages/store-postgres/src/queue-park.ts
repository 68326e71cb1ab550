import {
  RunNotFoundError,
  SeqMismatchError,
  StaleLeaseError,
  type ParkParams,
  type RunledgerError,
} from "@runledger/contracts";
import { firstOf, type Database, type Statement } from "./client.js";
import { fetchHeads } from "./heads.js";

/**
 * Locks the head, then the queue row (P8). A run that has not started keeps its due time. Its lane is opened again,
 * because a claim may have closed it meanwhile.
 */
const park: Statement = {
  name: "queue_park",
  limit: "append",
  text: `
WITH head AS (
  UPDATE runledger.run_heads SET lease_owner = NULL
  WHERE run_id = $1 AND lease_epoch = $2 AND head_seq = $3 RETURNING run_id
),
parked AS (
  UPDATE runledger.run_queue q SET owner = NULL, slot = false,
    acts_at = CASE WHEN $10::boolean AND q.acts_at IS NOT NULL THEN $4::timestamptz END,
    available_at = CASE
      WHEN q.started_at IS NULL THEN q.available_at
      WHEN q.wakes = $9 THEN coalesce($4::timestamptz, 'infinity')
      ELSE clock_timestamp()
    END,
    lane_id = CASE WHEN q.started_at IS NULL THEN
      runledger.open_lane(q.tenant_id, q.project_id, q.plan_id, q.plan_version, q.log_format, q.available_at)
    END
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

export async function parkRun(db: Database, params: ParkParams): Promise<void> {
  const { runId, epoch, expectedSeq, wakes, wakeAt, checkpoint, unanswered = false } = params;
  const saved = [checkpoint?.seq, checkpoint?.format, checkpoint?.data, checkpoint?.checksum].map(
    (part) => part ?? null,
  );
  const [parked] = firstOf(await db.write(park, [runId, epoch, expectedSeq, wakeAt, ...saved, wakes, unanswered]));
  if (parked !== 1) throw await refusal(db, runId, epoch, expectedSeq);
}

/** Epochs and heads only grow, so the reason of the refusal is still visible. */
async function refusal(db: Database, runId: string, epoch: number, expectedSeq: number): Promise<RunledgerError> {
  const [head] = await fetchHeads(db, { runIds: [runId], tenantId: undefined });
  if (head === undefined) return new RunNotFoundError(runId);
  if (head.leaseEpoch !== epoch) return new StaleLeaseError(runId, epoch, head.leaseEpoch);
  return new SeqMismatchError(runId, expectedSeq, head.headSeq);
}
