/**
 * The append without a duplicate check: one statement, one round trip.
 * It locks and advances the heads in sorted order (P8) and numbers the events from the rows that the update returned,
 * so that numbers come from the lock and never from a snapshot (P2). A run whose conditions fail is not returned, and
 * has no events either. A repeated key trips the unique index and takes the whole statement back; so does a run that
 * must exist and was made instead: to look for it beforehand would cost every append what only a mistyped id is worth.
 */
import type { AppendResult } from "@runledger/contracts";
import type { RunAppend } from "@runledger/core/store";
import { checkpointArrays, eventArrays, flagsOf } from "./append-columns.js";
import { numberArray, textArray } from "./arrays.js";
import type { Database, Statement } from "./client.js";

const statement = (checkpoints: string): string => `
WITH runs AS (
  SELECT * FROM unnest($1::text[], $2::bigint[], $3::bigint[], $4::bigint[], $5::smallint[], $6::text[])
    AS r (run_id, events, expected, fence, flags, tenant_id)
),
heads AS (
  INSERT INTO runledger.run_heads AS h
    (run_id, tenant_id, head_seq, persisted_at, lease_epoch, guard_seq, guard_flags)
  SELECT run_id, tenant_id, events, clock_timestamp(), coalesce(fence, 0), expected, flags FROM runs
  ORDER BY run_id COLLATE "C"
  ON CONFLICT (run_id) DO UPDATE
    SET head_seq = h.head_seq + EXCLUDED.head_seq, persisted_at = greatest(h.persisted_at, clock_timestamp())
    WHERE h.archived_at IS NULL
      AND (EXCLUDED.guard_seq IS NULL OR h.head_seq = EXCLUDED.guard_seq)
      AND (h.lease_epoch = EXCLUDED.lease_epoch OR (EXCLUDED.lease_epoch = 0 AND EXCLUDED.guard_flags & 2 <> 0))
      AND (EXCLUDED.guard_flags & 4 <> 0 OR h.tenant_id = EXCLUDED.tenant_id)
  RETURNING h.run_id, h.head_seq, h.persisted_at
),
events AS (
  INSERT INTO runledger.run_events
    (run_id, run_seq, event_id, step_id, engine_attempt_id, logical_attempt_id, event_type, event_data,
     idempotency_key, caused_by_signal_id, parent_event_id, emitted_at, persisted_at, adapter_version,
     engine_run_ref, plan_id, plan_version)
  SELECT h.run_id, CASE WHEN h.head_seq - e.behind >= e.least_seq THEN h.head_seq - e.behind END, e.event_id, e.step_id, e.engine_attempt_id, e.logical_attempt_id,
    e.event_type, e.event_data, e.idempotency_key, e.caused_by_signal_id, e.parent_event_id, e.emitted_at,
    h.persisted_at, e.adapter_version, e.engine_run_ref, e.plan_id, e.plan_version
  FROM unnest($7::text[], $8::bigint[], $9::bigint[], $10::uuid[], $11::text[], $12::text[], $13::text[], $14::text[],
    $15::jsonb[], $16::text[], $17::text[], $18::uuid[], $19::timestamptz[], $20::text[], $21::jsonb[], $22::text[],
    $23::text[])
    AS e (run_id, behind, least_seq, event_id, step_id, engine_attempt_id, logical_attempt_id, event_type, event_data,
      idempotency_key, caused_by_signal_id, parent_event_id, emitted_at, adapter_version, engine_run_ref, plan_id,
      plan_version)
  JOIN heads h ON h.run_id = e.run_id
),
announced AS (
  INSERT INTO runledger.change_feed (run_ids, head_seqs)
  SELECT array_agg(run_id), array_agg(head_seq) FROM heads HAVING count(*) > 0
)${checkpoints}
SELECT run_id, head_seq FROM heads`;

const plain: Statement = { name: "append_fast", text: statement("") };

const withCheckpoints: Statement = {
  name: "append_fast_checkpoints",
  text: statement(`,
checkpointed AS (
  INSERT INTO runledger.checkpoints AS k (run_id, seq, format, data, checksum)
  SELECT h.run_id, c.seq, c.format, c.data, c.checksum
  FROM heads h
  JOIN unnest($1::text[], $2::bigint[], $24::bigint[], $25::integer[], $26::text[], $27::text[])
    AS c (run_id, events, seq, format, data, checksum) ON c.run_id = h.run_id
  WHERE c.seq <= h.head_seq - c.events
  ON CONFLICT (run_id) DO UPDATE
    SET seq = EXCLUDED.seq, format = EXCLUDED.format, data = EXCLUDED.data, checksum = EXCLUDED.checksum,
      created_at = clock_timestamp()
    WHERE EXCLUDED.seq > k.seq
)`),
};

/** Per part: its results, or null where its run was refused; why is not known here. */
export async function appendFast(
  db: Database,
  parts: readonly RunAppend[],
): Promise<readonly (readonly AppendResult[] | null)[]> {
  const runs = mergeByRun(parts);
  const rows = parts.some((part) => part.checkpoint !== null)
    ? await db.write(withCheckpoints, [...values(parts, runs), ...checkpointValues(runs)])
    : await db.write(plain, values(parts, runs));
  const heads = new Map(rows.map(([runId, head]) => [runId as string, head as number]));
  return numbered(parts, runs, heads);
}

/** The parts of one run share a head update; the coalescer saw to it that they ask for the same. */
interface MergedRun {
  readonly first: RunAppend;
  events: number;
}

function mergeByRun(parts: readonly RunAppend[]): ReadonlyMap<string, MergedRun> {
  const runs = new Map<string, MergedRun>();
  for (const part of parts) {
    const run = runs.get(part.runId);
    if (run === undefined) runs.set(part.runId, { first: part, events: part.events.length });
    else run.events += part.events.length;
  }
  return runs;
}

function values(parts: readonly RunAppend[], runs: ReadonlyMap<string, MergedRun>): (string | null)[] {
  const merged = [...runs.values()];
  const behind = eventsBehind(parts, runs);
  return [
    textArray(merged.map(({ first }) => first.runId)),
    numberArray(merged.map(({ events }) => events)),
    numberArray(merged.map(({ first }) => first.expectedSeq)),
    numberArray(merged.map(({ first }) => first.fence)),
    numberArray(merged.map(({ first }) => flagsOf(first))),
    textArray(merged.map(({ first }) => first.tenantId)),
    textArray(parts.flatMap((part) => part.events.map(() => part.runId))),
    numberArray(behind),
    numberArray(parts.flatMap((part) => part.events.map((_, place) => leastSeq(part, place)))),
    ...eventArrays(parts),
  ];
}

/** An event of a run that must exist is never its first one: there, the statement meets a NULL and takes itself back. */
function leastSeq(part: RunAppend, place: number): number {
  return part.mustExist ? place + 2 : 1;
}

/** How far each event stands behind its run's new head: 0 for the last one. */
function eventsBehind(parts: readonly RunAppend[], runs: ReadonlyMap<string, MergedRun>): number[] {
  const left = new Map<string, number>();
  return parts.flatMap((part) => {
    let behind = left.get(part.runId) ?? runs.get(part.runId)!.events;
    const places = part.events.map(() => --behind);
    left.set(part.runId, behind);
    return places;
  });
}

function checkpointValues(runs: ReadonlyMap<string, MergedRun>): string[] {
  const { seqs, formats, data, checksums } = checkpointArrays([...runs.values()].map(({ first }) => first));
  return [seqs, formats, data, checksums];
}

function numbered(
  parts: readonly RunAppend[],
  runs: ReadonlyMap<string, MergedRun>,
  heads: ReadonlyMap<string, number>,
): readonly (readonly AppendResult[] | null)[] {
  const next = new Map([...heads].map(([runId, head]) => [runId, head - runs.get(runId)!.events]));
  return parts.map((part) => {
    let seq = next.get(part.runId);
    if (seq === undefined) return null;
    const results = part.events.map(() => ({ runSeq: ++seq!, idempotent: false, persisted: true }));
    next.set(part.runId, seq);
    return results;
  });
}
