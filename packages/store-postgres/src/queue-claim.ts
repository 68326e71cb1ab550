/** Claims runs for a worker. The SQL function `claim_runs` chooses them (see schema/functions). */
import type { HeldRun, PlanRef } from "@runledger/contracts";
import { textArray } from "./arrays.js";
import { firstOf, type Calls, type Row, type Statement } from "./client.js";
import { eventColumns, toEvent } from "./event-rows.js";

/**
 * The largest first event that a claim returns with its run. A claim holds the lock of all claims until its result is
 * sent. A result that does not fit into the socket's buffers would hold the lock for as long as its worker stalls and
 * reads nothing.
 */
const MOST_BYTES = 1500;

/**
 * A run that is newer than the statement is claimed without its event: the statement has an older snapshot
 * than the function.
 */
const claim: Statement = {
  name: "queue_claim",
  limit: "append",
  text: `
SELECT clock_timestamp()::timestamptz(3), c.run_id, c.lease_epoch, c.taken_from, c.head_seq, c.plan_id, c.plan_version,
  c.wakes, c.slot, (SELECT runledger.may_unblock_others()), e.*
FROM (SELECT 1) AS always
LEFT JOIN runledger.claim_runs($1, $2, $3, $4, $5, $6) AS c ON true
LEFT JOIN LATERAL (
  SELECT ${eventColumns} FROM runledger.run_events
  WHERE run_id = c.run_id AND run_seq = 1 AND c.head_seq = 1
    AND pg_column_size(event_data) <= ${MOST_BYTES} AND octet_length(event_data::text) <= ${MOST_BYTES}
  LIMIT 1 -- makes the planner look up each run by its key
) e ON true`,
};

const holds: Statement = {
  name: "queue_held",
  limit: "append",
  text: `
SELECT clock_timestamp()::timestamptz(3), q.run_id, h.lease_epoch, NULL, h.head_seq, q.plan_id, q.plan_version, q.wakes,
  q.slot
FROM (SELECT 1) AS always
LEFT JOIN (runledger.run_queue q JOIN runledger.run_heads h ON h.run_id = q.run_id) ON q.owner = $1`,
};

/** The column with the result of `may_unblock_others`. */
const LIMITED = 9;

export async function claimRuns(
  db: Calls,
  params: {
    workerId: string;
    plans: readonly PlanRef[];
    logFormat: number;
    limit: number;
    tenants?: readonly string[];
  },
): Promise<{ now: string; runs: HeldRun[]; limited: boolean }> {
  const { workerId, plans, logFormat, limit } = params;
  const tenants = params.tenants === undefined ? null : textArray(params.tenants);
  const names = [textArray(plans.map(({ planId }) => planId)), textArray(plans.map(({ planVersion }) => planVersion))];
  const rows = await db.write(claim, [workerId, ...names, logFormat, limit, tenants]);
  return { ...toHeld(rows), limited: firstOf(rows)[LIMITED] as boolean };
}

export async function heldRuns(db: Calls, workerId: string): Promise<{ now: string; runs: HeldRun[] }> {
  return toHeld(await db.read(holds, [workerId]));
}

/** Always returns at least one row, for the time. It names no run if there is none. */
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
