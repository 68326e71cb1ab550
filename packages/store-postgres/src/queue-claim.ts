/** Runs in a worker's hands. Who may have which is decided where the rows are: migrations/0011-claim-runs.sql. */
import type { HeldRun, PlanRef } from "@runledger/contracts";
import { textArray } from "./arrays.js";
import { firstOf, type Database, type Row, type Statement } from "./client.js";
import { eventColumns, toEvent } from "./event-rows.js";

/**
 * Of a first event that comes along. A claim holds the lock that all claims take until its answer is sent: one that does not
 * fit on the line, to a worker that stands still and reads nothing, would hold it for as long as that one stands still.
 */
const MOST_BYTES = 1500;

/** What was started after the statement began is claimed without its event: it sees less than the function does. */
const claim: Statement = {
  name: "queue_claim",
  text: `
SELECT clock_timestamp()::timestamptz(3), c.run_id, c.lease_epoch, c.taken_from, c.head_seq, c.plan_id, c.plan_version,
  c.wakes, c.slot, (SELECT runledger.ends_matter()), e.*
FROM (SELECT 1) AS always
LEFT JOIN runledger.claim_runs($1, $2, $3, $4, $5) AS c ON true
LEFT JOIN LATERAL (
  SELECT ${eventColumns} FROM runledger.run_events
  WHERE run_id = c.run_id AND run_seq = 1 AND c.head_seq = 1
    AND pg_column_size(event_data) <= ${MOST_BYTES} AND octet_length(event_data::text) <= ${MOST_BYTES}
  LIMIT 1 -- so that it is looked up run by run
) e ON true`,
};

const holds: Statement = {
  name: "queue_held",
  text: `
SELECT clock_timestamp()::timestamptz(3), q.run_id, h.lease_epoch, NULL, h.head_seq, q.plan_id, q.plan_version, q.wakes,
  q.slot
FROM (SELECT 1) AS always
LEFT JOIN (runledger.run_queue q JOIN runledger.run_heads h ON h.run_id = q.run_id) ON q.owner = $1`,
};

/** The column that says whether ends matter. */
const LIMITED = 9;

export async function claimRuns(
  db: Database,
  params: { workerId: string; plans: readonly PlanRef[]; logFormat: number; limit: number },
): Promise<{ now: string; runs: HeldRun[]; limited: boolean }> {
  const { workerId, plans, logFormat, limit } = params;
  const names = [textArray(plans.map(({ planId }) => planId)), textArray(plans.map(({ planVersion }) => planVersion))];
  const rows = await db.write(claim, [workerId, ...names, logFormat, limit]);
  return { ...toHeld(rows), limited: firstOf(rows)[LIMITED] as boolean };
}

export async function heldRuns(db: Database, workerId: string): Promise<{ now: string; runs: HeldRun[] }> {
  return toHeld(await db.read(holds, [workerId]));
}

/** One row at least, for the time; it names no run where there is none. */
function toHeld(rows: readonly Row[]): { now: string; runs: HeldRun[] } {
  const runs = rows
    .filter(([, runId]) => runId !== null)
    .map(([, runId, epoch, takenFrom, headSeq, planId, planVersion, wakes, slot, , ...event]) => ({
      runId: runId as string,
      epoch: epoch as number,
      takenFrom: takenFrom as string | null,
      headSeq: headSeq as number,
      planId: planId as string,
      planVersion: planVersion as string,
      wakes: wakes as number,
      slot: slot as boolean,
      ...(typeof event[0] === "string" ? { firstEvent: toEvent(event) } : {}),
    }));
  return { now: firstOf(rows)[0] as string, runs };
}
