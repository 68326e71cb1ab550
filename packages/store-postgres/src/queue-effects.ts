/**
 * Applies the effects of appends on the queue, in the same statement or transaction: runs that wake up, finish or are
 * queued again (O2).
 */
import type { RunAppend } from "@runledger/core/store";
import { numberArray, textArray } from "./arrays.js";
import type { Session, Statement } from "./client.js";

const WAKES = 0;
const ENDS = 1;
/** Wakes the run for an operator's action. */
const ACTS = 2;

/**
 * CTEs for an append whose CTE `heads` holds the runs that it advanced. They use three parameters, starting at `first`.
 * All heads are locked before the first queue row, and queue rows in order (P8): counting the heads makes the statement
 * wait for the last one. A run that finishes in the append that also wakes it is finished. Waking a run that has not
 * started does not change when it is due.
 */
export const effectsOnQueue = (first: number): string => `,
touched AS (
  SELECT q.run_id, e.effect = ${ENDS} AS ends, e.effect = ${ACTS} AS acts FROM runledger.run_queue q
  JOIN (
    SELECT unnest($${first}::text[]) AS by_run, unnest($${first + 1}::text[]) AS run_id,
      unnest($${first + 2}::integer[]) AS effect
  ) e ON e.run_id = q.run_id
  WHERE (SELECT count(*) FROM heads) > 0 AND e.by_run IN (SELECT run_id FROM heads)
  ORDER BY q.run_id FOR UPDATE OF q
),
ended AS (
  DELETE FROM runledger.run_queue q USING touched t WHERE q.run_id = t.run_id AND t.ends
),
woken AS (
  UPDATE runledger.run_queue q SET wakes = q.wakes + 1,
    acts_at = CASE WHEN q.run_id IN (SELECT run_id FROM touched WHERE acts) THEN clock_timestamp() ELSE q.acts_at END,
    available_at = CASE WHEN q.owner IS NULL AND q.started_at IS NOT NULL
      THEN least(q.available_at, clock_timestamp()) ELSE q.available_at END
  FROM touched t WHERE q.run_id = t.run_id AND NOT t.ends AND t.run_id NOT IN (SELECT run_id FROM touched WHERE ends)
)`;

export function effectValues(parts: readonly RunAppend[]): (string | null)[] {
  const effects = parts.flatMap(({ runId, ends, acts, wakes }) => [
    ...(ends ? [{ by: runId, on: runId, effect: ENDS }] : []),
    ...(acts ? [{ by: runId, on: runId, effect: ACTS }] : []),
    ...wakes.map((on) => ({ by: runId, on, effect: WAKES })),
  ]);
  return [
    textArray(effects.map(({ by }) => by)),
    textArray(effects.map(({ on }) => on)),
    numberArray(effects.map(({ effect }) => effect)),
  ];
}

export function hasEffects(part: RunAppend): boolean {
  return part.wakes.length > 0 || part.acts || part.ends || part.enqueues !== null;
}

const effects: Statement = {
  name: "queue_effects",
  text: `WITH heads AS (SELECT unnest($4::text[]) AS run_id)${effectsOnQueue(1)} SELECT count(*) FROM touched`,
};

const enqueue: Statement = {
  name: "queue_enqueue",
  text: `
INSERT INTO runledger.run_queue (run_id, plan_id, plan_version, log_format, priority, available_at, tenant_id, project_id,
  concurrency_key, lane_id)
SELECT h.run_id, $2, $3, $4, $5, clock_timestamp(), h.tenant_id, $6, $7,
  runledger.open_lane(h.tenant_id, $6, $2, $3, $4, clock_timestamp())
FROM runledger.run_heads h WHERE h.run_id = $1
ON CONFLICT (run_id) DO NOTHING`,
};

/** Releases the lease of a worker that has finished its run. The head is locked. */
const releaseLeases: Statement = {
  name: "queue_release_leases",
  text: "UPDATE runledger.run_heads SET lease_owner = NULL WHERE run_id = ANY ($1::text[]) AND lease_owner IS NOT NULL",
};

/** Applies the effects of the stored parts in the transaction that stored them. */
export async function applyEffects(session: Session, stored: readonly RunAppend[]): Promise<void> {
  if (stored.some(hasEffects))
    await session.run(effects, [...effectValues(stored), textArray(stored.map(({ runId }) => runId))]);
  const ended = stored.filter(({ ends }) => ends).map(({ runId }) => runId);
  if (ended.length > 0) await session.run(releaseLeases, [textArray(ended)]);
  for (const { runId, enqueues } of stored) {
    if (enqueues === null) continue;
    const { planId, planVersion, logFormat, priority, projectId = "default", concurrencyKey = null } = enqueues;
    await session.run(enqueue, [runId, planId, planVersion, logFormat, priority, projectId, concurrencyKey]);
  }
}
