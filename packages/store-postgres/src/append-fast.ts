/**
 * Appends without a duplicate check, in one statement and one round trip.
 *
 * The statement locks and advances the heads in sorted order (P8) and numbers the events from the rows that the update
 * returned. So numbers come from the lock, never from a snapshot (P2). A run whose conditions fail is not returned and
 * gets no events. A repeated key violates the unique index and rolls the whole statement back. So does a run that must
 * exist but was created instead: its events get no number. Looking for such a run first would cost every append what
 * only a mistyped id is worth.
 *
 * Arrays are unnested in the SELECT list: in FROM, each would first be copied into a tuplestore. Tables are searched
 * only through the key of the conflict clause, so the plan is the same for an empty log and a full one.
 */
import type { AppendResult, CheckedEvent } from "@runledger/contracts";
import type { RunAppend } from "@runledger/core/store";
import { checkpointArrays, conditionArrays, eventArrays, eventValues, flagsOf } from "./append-columns.js";
import { numberArray, plainTextArray } from "./arrays.js";
import type { Database, Statement } from "./client.js";
import { fenceHolds } from "./lease-fence.js";
import { effectsOnQueue, effectValues, hasEffects } from "./queue-effects.js";

type Value = (parameter: number, type: string) => string;

const each: Value = (parameter, type) => `unnest($${parameter}::${type}[])`;
const only: Value = (parameter, type) => `$${parameter}::${type}`;

/** Parameters are arrays with an entry per run or event, or plain values if there is only one. */
interface Shape {
  readonly ofRun: Value;
  readonly ofEvent: Value;
  /** The order in which heads are locked. */
  readonly order: string;
  /** The join from an event to the head of its run. */
  readonly join: string;
  readonly feed: string;
  readonly result: string;
}

const many: Shape = {
  ofRun: each,
  ofEvent: each,
  join: "JOIN heads h ON h.run_id = e.run_id",
  order: 'ORDER BY run_id COLLATE "C"',
  feed: "SELECT array_agg(run_id), array_agg(head_seq) FROM heads HAVING count(*) > 0",
  result: "SELECT array_to_json(run_ids), array_to_json(head_seqs) FROM announced",
};

/**
 * Values for one run. A single caller waits for every step of the plan: this one has no sort, no search and no
 * aggregate.
 */
const ofOneRun = {
  ofRun: only,
  join: "CROSS JOIN heads h",
  order: "",
  feed: "SELECT ARRAY[run_id], ARRAY[head_seq] FROM heads",
  result: "SELECT head_seq FROM heads",
};

const statement = ({ ofRun, ofEvent, order, join, feed, result }: Shape, extras = ""): string => `
WITH heads AS (
  INSERT INTO runledger.run_heads AS h
    (run_id, tenant_id, head_seq, persisted_at, lease_epoch, guard_seq, guard_flags)
  SELECT run_id, tenant_id, events, clock_timestamp(), coalesce(fence, 0), expected, flags
  FROM (
    SELECT ${ofRun(1, "text")} AS run_id, ${ofRun(2, "bigint")} AS events, ${ofRun(3, "bigint")} AS expected,
      ${ofRun(4, "bigint")} AS fence, ${ofRun(5, "smallint")} AS flags, ${ofRun(6, "text")} AS tenant_id
  ) r
  ${order}
  ON CONFLICT (run_id) DO UPDATE
    SET head_seq = h.head_seq + EXCLUDED.head_seq, persisted_at = greatest(h.persisted_at, clock_timestamp()),
      lease_owner = CASE WHEN EXCLUDED.guard_flags & 8 = 0 THEN h.lease_owner END
    WHERE h.archived_at IS NULL
      AND (EXCLUDED.guard_seq IS NULL OR h.head_seq = EXCLUDED.guard_seq)
      AND ${fenceHolds}
      AND (EXCLUDED.guard_flags & 4 <> 0 OR h.tenant_id = EXCLUDED.tenant_id)
  RETURNING h.run_id, CASE WHEN h.guard_flags & 1 = 1 THEN NULL ELSE h.head_seq END AS head_seq, h.persisted_at
),
events AS (
  INSERT INTO runledger.run_events
    (run_id, run_seq, event_id, step_id, engine_attempt_id, logical_attempt_id, event_type, event_data,
     idempotency_key, caused_by_signal_id, parent_event_id, emitted_at, persisted_at, adapter_version,
     engine_run_ref, plan_id, plan_version, content_hash)
  SELECT h.run_id, h.head_seq - e.behind, e.event_id, e.step_id, e.engine_attempt_id, e.logical_attempt_id,
    e.event_type, e.event_data, e.idempotency_key, e.caused_by_signal_id, e.parent_event_id, e.emitted_at,
    h.persisted_at, e.adapter_version, e.engine_run_ref, e.plan_id, e.plan_version,
    runledger.event_hash(h.head_seq - e.behind, e.event_id, e.emitted_at, h.persisted_at, e.caused_by_signal_id,
      e.event_data)
  FROM (
    SELECT ${ofRun(7, "text")} AS run_id, ${ofEvent(8, "bigint")} AS behind, ${ofEvent(9, "uuid")} AS event_id,
      ${ofEvent(10, "text")} AS step_id, ${ofEvent(11, "text")} AS engine_attempt_id,
      ${ofEvent(12, "text")} AS logical_attempt_id, ${ofEvent(13, "text")} AS event_type,
      ${ofEvent(14, "jsonb")} AS event_data, ${ofEvent(15, "text")} AS idempotency_key,
      ${ofEvent(16, "text")} AS caused_by_signal_id, ${ofEvent(17, "uuid")} AS parent_event_id,
      ${ofEvent(18, "timestamptz")} AS emitted_at, ${ofEvent(19, "text")} AS adapter_version,
      ${ofEvent(20, "jsonb")} AS engine_run_ref, ${ofEvent(21, "text")} AS plan_id, ${ofEvent(22, "text")} AS plan_version
  ) e
  ${join}
),
announced AS (
  INSERT INTO runledger.change_feed (run_ids, head_seqs) ${feed}
  RETURNING run_ids, head_seqs
)${extras}
${result}`;

const checkpoints = `,
checkpointed AS (
  INSERT INTO runledger.checkpoints AS k (run_id, seq, format, data, checksum)
  SELECT h.run_id, c.seq, c.format, c.data, c.checksum
  FROM heads h
  JOIN (
    SELECT unnest($1::text[]) AS run_id, unnest($2::bigint[]) AS events, unnest($23::bigint[]) AS seq,
      unnest($24::integer[]) AS format, unnest($25::text[]) AS data, unnest($26::text[]) AS checksum
  ) c ON c.run_id = h.run_id
  WHERE c.seq <= h.head_seq - c.events
  ON CONFLICT (run_id) DO UPDATE
    SET seq = EXCLUDED.seq, format = EXCLUDED.format, data = EXCLUDED.data, checksum = EXCLUDED.checksum,
      created_at = clock_timestamp()
    WHERE EXCLUDED.seq > k.seq
)`;

const ofMany: Statement = { name: "append_fast", limit: "append", text: statement(many) };
const withExtras: Statement = {
  name: "append_fast_extras",
  limit: "append",
  text: statement(many, checkpoints + effectsOnQueue(27)),
};
const toOneRun: Statement = {
  name: "append_fast_run",
  limit: "append",
  text: statement({ ...ofOneRun, ofEvent: each }),
};
const ofOne: Statement = { name: "append_fast_one", limit: "append", text: statement({ ...ofOneRun, ofEvent: only }) };

/** Returns the results of each part, or `null` if its run was refused. The reason is not known here. */
export async function appendFast(
  db: Database,
  parts: readonly RunAppend[],
): Promise<readonly (readonly AppendResult[] | null)[]> {
  const [first] = parts;
  const hasExtras = parts.some((part) => part.checkpoint !== null || hasEffects(part));
  if (parts.length === 1 && first?.events.length === 1 && !hasExtras) return [await appendOne(db, first)];
  const runs = mergeByRun(parts);
  if (runs.size === 1 && !hasExtras) return appendToOneRun(db, parts, runs);
  const [row] = hasExtras
    ? await db.write(withExtras, [...values(parts, runs), ...checkpointValues(runs), ...effectValues(parts)])
    : await db.write(ofMany, values(parts, runs));
  const [runIds, heads] = (row ?? [[], []]) as [readonly string[], readonly number[]];
  runIds.forEach((runId, index) => numberFrom(runs.get(runId)!, heads[index]!));
  return parts.map((part) => numbered(part, runs.get(part.runId)!));
}

async function appendToOneRun(
  db: Database,
  parts: readonly RunAppend[],
  runs: ReadonlyMap<string, MergedRun>,
): Promise<readonly (readonly AppendResult[] | null)[]> {
  const [[runId, run]] = [...runs] as [[string, MergedRun]];
  const { fence, tenantId } = run.first;
  const { behind, events } = eventColumns(parts, runs);
  const conditions = [runId, run.events, headOf(run.first), fence, flagsOf(run.first), tenantId];
  const [row] = await db.write(toOneRun, [...conditions, runId, numberArray(behind), ...eventArrays(events)]);
  if (row !== undefined) numberFrom(run, row[0] as number);
  return parts.map((part) => numbered(part, run));
}

async function appendOne(db: Database, part: RunAppend): Promise<readonly AppendResult[] | null> {
  const { runId, fence, tenantId } = part;
  const run = [runId, 1, headOf(part), fence, flagsOf(part), tenantId];
  const [row] = await db.write(ofOne, [...run, runId, 0, ...eventValues(part.events[0]!)]);
  return row === undefined ? null : [{ runSeq: row[0] as number, idempotent: false, persisted: true }];
}

/**
 * The head that a run must have, `null` if any. A verdict holds if nothing was appended since; otherwise the slow append
 * decides (G1).
 */
function headOf({ expectedSeq, judgedAt }: RunAppend): number | null {
  return expectedSeq ?? judgedAt?.seq ?? null;
}

/** The parts of one run share a head update. The coalescer made sure that their conditions are equal. */
interface MergedRun {
  readonly first: RunAppend;
  events: number;
  /** The number of its next event, `null` if the run was refused. */
  nextSeq: number | null;
}

function mergeByRun(parts: readonly RunAppend[]): ReadonlyMap<string, MergedRun> {
  const runs = new Map<string, MergedRun>();
  for (const part of parts) {
    const run = runs.get(part.runId);
    if (run === undefined) runs.set(part.runId, { first: part, events: part.events.length, nextSeq: null });
    else run.events += part.events.length;
  }
  return runs;
}

function values(parts: readonly RunAppend[], runs: ReadonlyMap<string, MergedRun>): (string | null)[] {
  const merged = [...runs.values()];
  const { runIds, behind, events } = eventColumns(parts, runs);
  return [
    plainTextArray([...runs.keys()]),
    numberArray(merged.map((run) => run.events)),
    ...conditionArrays(
      merged.map((run) => run.first),
      headOf,
    ),
    plainTextArray(runIds),
    numberArray(behind),
    ...eventArrays(events),
  ];
}

interface EventColumns {
  readonly runIds: string[];
  /** The distance of each event from the new head of its run: 0 for the last one. */
  readonly behind: number[];
  readonly events: CheckedEvent[];
}

function eventColumns(parts: readonly RunAppend[], runs: ReadonlyMap<string, MergedRun>): EventColumns {
  const columns: EventColumns = { runIds: [], behind: [], events: [] };
  const left = new Map<string, number>();
  for (const { runId, events } of parts) {
    let behind = left.get(runId) ?? runs.get(runId)!.events;
    for (const event of events) {
      columns.runIds.push(runId);
      columns.behind.push(--behind);
      columns.events.push(event);
    }
    left.set(runId, behind);
  }
  return columns;
}

function checkpointValues(runs: ReadonlyMap<string, MergedRun>): (string | null)[] {
  const { seqs, formats, data, checksums } = checkpointArrays([...runs.values()].map(({ first }) => first));
  return [seqs, formats, data, checksums];
}

function numberFrom(run: MergedRun, head: number): void {
  run.nextSeq = head - run.events + 1;
}

function numbered(part: RunAppend, run: MergedRun): readonly AppendResult[] | null {
  if (run.nextSeq === null) return null;
  let runSeq = run.nextSeq;
  const results = part.events.map(() => ({ runSeq: runSeq++, idempotent: false, persisted: true }));
  run.nextSeq = runSeq;
  return results;
}
