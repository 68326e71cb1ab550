/** What appends do to the queue, in their transaction: runs that are woken, have ended, or begin again (O2). */
import type { RunAppend } from "@runledger/core/store";
import { textArray } from "./arrays.js";
import type { Session, Statement } from "./client.js";

const effects: Statement = {
  name: "queue_effects",
  text: `
WITH rows AS (
  SELECT run_id FROM runledger.run_queue WHERE run_id = ANY ($1::text[]) ORDER BY run_id FOR UPDATE
),
woken AS (
  UPDATE runledger.run_queue q SET wakes = q.wakes + 1,
    available_at = CASE WHEN q.owner IS NULL THEN least(q.available_at, clock_timestamp()) ELSE q.available_at END
  FROM rows WHERE q.run_id = rows.run_id
)
DELETE FROM runledger.run_queue WHERE run_id = ANY ($2::text[])`,
};

export function hasEffects(part: RunAppend): boolean {
  return part.wakes.length > 0 || part.ends || part.enqueues !== null;
}

const enqueue: Statement = {
  name: "queue_enqueue",
  text: `
INSERT INTO runledger.run_queue (run_id, plan_id, plan_version, log_format, priority, available_at)
VALUES ($1, $2, $3, $4, $5, clock_timestamp()) ON CONFLICT (run_id) DO NOTHING`,
};

/** For the parts that were stored, in the transaction that stored them. */
export async function applyEffects(session: Session, stored: readonly RunAppend[]): Promise<void> {
  const wakes = stored.flatMap((part) => part.wakes);
  const ended = stored.filter((part) => part.ends).map(({ runId }) => runId);
  if (wakes.length + ended.length > 0) await session.run(effects, [textArray(wakes), textArray(ended)]);
  for (const { runId, enqueues } of stored) {
    if (enqueues === null) continue;
    const { planId, planVersion, logFormat, priority } = enqueues;
    await session.run(enqueue, [runId, planId, planVersion, logFormat, priority]);
  }
}
