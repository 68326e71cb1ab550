/**
 * Erases the payloads of a finished run (A6), in one transaction that holds the lock of its head. The run's events are read
 * twice in pages: once to find out whether it has finished, and once to erase them.
 */
import {
  ERASED_HASH,
  eraseEventData,
  LogGapError,
  type CanonicalEngineEvent,
  type ErasedBy,
  type EraseOutcome,
  type EraseRequest,
} from "@runledger/contracts";
import { assertComplete, evolve, initialState, isTerminal, toRunHeader, type RunState } from "@runledger/core";
import { numberArray, textArray } from "./arrays.js";
import { firstOf, type Database, type Session, type Statement } from "./client.js";
import { replaceIn } from "./derived-data.js";
import { eventColumns, toEvent } from "./event-rows.js";

/** Small, because an event can have 256 KB. */
const PAGE = 100;

const lock: Statement = {
  name: "erase_lock",
  text: "SELECT head_seq, clock_timestamp()::timestamptz(3) FROM runledger.run_heads WHERE run_id = $1 FOR UPDATE",
};

const page: Statement = {
  name: "erase_page",
  text: `
SELECT * FROM (
  (SELECT ${eventColumns} FROM runledger.run_events WHERE run_id = $1 AND run_seq > $2 ORDER BY run_seq LIMIT ${PAGE})
  UNION ALL
  (SELECT ${eventColumns} FROM runledger.run_events_archive
   WHERE run_id = $1 AND run_seq > $2 ORDER BY run_seq LIMIT ${PAGE})
) e ORDER BY run_seq LIMIT ${PAGE}`,
};

const erase = (table: string): Statement => ({
  name: `erase_${table}`,
  text: `
UPDATE runledger.${table} e
SET event_data = n.data, erased_hash = runledger.event_hash(
  e.run_seq, e.event_id, e.emitted_at, e.persisted_at, e.caused_by_signal_id, n.data)
FROM (SELECT unnest($2::bigint[]) AS run_seq, unnest($3::jsonb[]) AS data) AS n
WHERE e.run_id = $1 AND e.run_seq = n.run_seq`,
});

const tables = [erase("run_events"), erase("run_events_archive")];

/** Everything else that contains payloads or could reveal them. */
const copies: Statement = {
  name: "erase_copies",
  text: `
WITH checkpoint AS (
  DELETE FROM runledger.checkpoints WHERE run_id = $1
),
chunks AS (
  DELETE FROM runledger.artifact_chunks c USING runledger.artifacts a
  WHERE a.artifact_id = c.artifact_id AND a.run_id = $1
),
expired AS (
  DELETE FROM runledger.expired_artifacts WHERE run_id = $1
),
artifacts AS (
  DELETE FROM runledger.artifacts WHERE run_id = $1
),
started AS (
  UPDATE runledger.run_starts SET input_hash = '${ERASED_HASH}' WHERE run_id = $1
)
UPDATE runledger.deliveries d SET error = 'erased'
FROM runledger.subscriptions s WHERE d.number = s.number AND d.run_id = $1 AND d.error IS NOT NULL`,
};

const projected: Statement = {
  name: "erase_projected",
  text: "SELECT EXISTS (SELECT FROM runledger.run_snapshots WHERE run_id = $1)",
};

export function eraseRun(db: Database, request: EraseRequest): Promise<EraseOutcome> {
  return db.transaction((session) => eraseLocked(session, request), { patient: true });
}

async function eraseLocked(session: Session, { runId, by, reason }: EraseRequest): Promise<EraseOutcome> {
  const [head] = await session.run(lock, [runId]);
  if (head === undefined) return { runId, erased: false, reason: "absent" };
  const [headSeq, at] = head as [number, string];
  const before = await fold(session, runId, headSeq);
  if (before === null) return { runId, erased: false, reason: "damaged" };
  if (!isTerminal(before.status)) return { runId, erased: false, reason: "not-finished" };
  const events = await eraseEvents(session, runId, { at, by, reason });
  await session.run(copies, [runId]);
  if (events > 0 && firstOf(await session.run(projected, [runId]))[0] === true)
    await showErased(session, runId, headSeq);
  return { runId, erased: true, events };
}

async function eraseEvents(session: Session, runId: string, erased: ErasedBy): Promise<number> {
  let count = 0;
  for await (const read of pages(session, runId)) {
    const changed = read.flatMap((event) => {
      const data = eraseEventData(event, erased);
      return data === null ? [] : [{ seq: event.runSeq, data: JSON.stringify(data) }];
    });
    if (changed.length === 0) continue;
    const values = [runId, numberArray(changed.map(({ seq }) => seq)), textArray(changed.map(({ data }) => data))];
    for (const statement of tables) await session.run(statement, values);
    count += changed.length;
  }
  return count;
}

/** Replaces the projection by the fold of what is left. */
async function showErased(session: Session, runId: string, headSeq: number): Promise<void> {
  const state = await fold(session, runId, headSeq);
  if (state === null) return;
  await replaceIn(session, { header: toRunHeader(state), steps: state.steps.rows(), keyframes: [] });
}

/** Returns `null` if events are missing. */
async function fold(session: Session, runId: string, headSeq: number): Promise<RunState | null> {
  let state = initialState(runId);
  for await (const read of pages(session, runId)) for (const event of read) state = evolve(state, event);
  try {
    assertComplete(runId, state.lastEventSeq, headSeq);
    return state;
  } catch (error) {
    if (error instanceof LogGapError) return null;
    throw error;
  }
}

async function* pages(session: Session, runId: string): AsyncGenerator<CanonicalEngineEvent[]> {
  for (let after = 0; ;) {
    const read = (await session.run(page, [runId, after])).map(toEvent);
    if (read.length === 0) return;
    yield read;
    after = read.at(-1)!.runSeq;
  }
}
