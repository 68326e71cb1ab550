/** What appends do to the queue, in their own statement or transaction: runs that are woken, have ended, or begin again (O2). */
import type { RunAppend } from "@runledger/core/store";
import { numberArray, textArray } from "./arrays.js";
import type { Session, Statement } from "./client.js";

/**
 * Of an append whose CTE `heads` has the runs that it advanced; three parameters, from `first` on. All heads are locked
 * before the first queue row, and queue rows in order (P8): to count the heads makes the statement wait for the last one.
 * A run that ends in the append that also wakes it has ended.
 */
export const effectsOnQueue = (first: number): string => `,
touched AS (
  SELECT q.run_id, e.ends FROM runledger.run_queue q
  JOIN (
    SELECT unnest($${first}::text[]) AS by_run, unnest($${first + 1}::text[]) AS run_id,
      unnest($${first + 2}::integer[]) = 1 AS ends
  ) e ON e.run_id = q.run_id
  WHERE (SELECT count(*) FROM heads) > 0 AND e.by_run IN (SELECT run_id FROM heads)
  ORDER BY q.run_id FOR UPDATE OF q
),
ended AS (
  DELETE FROM runledger.run_queue q USING touched t WHERE q.run_id = t.run_id AND t.ends
),
woken AS (
  UPDATE runledger.run_queue q SET wakes = q.wakes + 1,
    available_at = CASE WHEN q.owner IS NULL THEN least(q.available_at, clock_timestamp()) ELSE q.available_at END
  FROM touched t WHERE q.run_id = t.run_id AND NOT t.ends AND t.run_id NOT IN (SELECT run_id FROM touched WHERE ends)
)`;

export function effectValues(parts: readonly RunAppend[]): (string | null)[] {
  const effects = parts.flatMap(({ runId, ends, wakes }) => [
    ...(ends ? [{ by: runId, on: runId, ends }] : []),
    ...wakes.map((on) => ({ by: runId, on, ends: false })),
  ]);
  return [
    textArray(effects.map(({ by }) => by)),
    textArray(effects.map(({ on }) => on)),
    numberArray(effects.map((effect) => Number(effect.ends))),
  ];
}

export function hasEffects(part: RunAppend): boolean {
  return part.wakes.length > 0 || part.ends || part.enqueues !== null;
}

const effects: Statement = {
  name: "queue_effects",
  text: `WITH heads AS (SELECT unnest($4::text[]) AS run_id)${effectsOnQueue(1)} SELECT count(*) FROM touched`,
};

const enqueue: Statement = {
  name: "queue_enqueue",
  text: `
INSERT INTO runledger.run_queue (run_id, plan_id, plan_version, log_format, priority, available_at)
VALUES ($1, $2, $3, $4, $5, clock_timestamp()) ON CONFLICT (run_id) DO NOTHING`,
};

/** For the parts that were stored, in the transaction that stored them. */
export async function applyEffects(session: Session, stored: readonly RunAppend[]): Promise<void> {
  if (stored.some(hasEffects))
    await session.run(effects, [...effectValues(stored), textArray(stored.map(({ runId }) => runId))]);
  for (const { runId, enqueues } of stored) {
    if (enqueues === null) continue;
    const { planId, planVersion, logFormat, priority } = enqueues;
    await session.run(enqueue, [runId, planId, planVersion, logFormat, priority]);
  }
}
