/** Writes runs that another store has recorded, unchanged. Heads are locked first, as by an append (P8). */
import { SeqMismatchError, StopError } from "@runledger/contracts";
import type { CheckedCopy, RunAppend } from "@runledger/core/store";
import { eventArrays } from "./append-columns.js";
import { numberArray, plainTextArray, textArray } from "./arrays.js";
import type { Database, Session, Statement } from "./client.js";
import { applyEffects } from "./queue-effects.js";

const makeHeads: Statement = {
  name: "copies_heads",
  text: `
INSERT INTO runledger.run_heads (run_id, tenant_id, head_seq, persisted_at)
SELECT run_id, tenant_id, 0, clock_timestamp() FROM unnest($1::text[], $2::text[]) AS c (run_id, tenant_id)
ORDER BY run_id COLLATE "C" ON CONFLICT (run_id) DO NOTHING`,
};

const lockHeads: Statement = {
  name: "copies_lock",
  text: `
SELECT run_id, tenant_id, head_seq FROM runledger.run_heads WHERE run_id = ANY ($1::text[]) ORDER BY run_id FOR UPDATE`,
};

const store: Statement = {
  name: "copies_store",
  text: `
INSERT INTO runledger.run_events (run_id, run_seq, persisted_at, event_id, step_id, engine_attempt_id, logical_attempt_id,
  event_type, event_data, idempotency_key, caused_by_signal_id, parent_event_id, emitted_at, adapter_version,
  engine_run_ref, plan_id, plan_version, content_hash)
SELECT c.*, runledger.event_hash(c.run_seq, c.event_id, c.emitted_at, c.persisted_at, c.caused_by_signal_id, c.event_data)
FROM (
  SELECT unnest($1::text[]), unnest($2::bigint[]), unnest($3::timestamptz[]), unnest($4::uuid[]), unnest($5::text[]),
    unnest($6::text[]), unnest($7::text[]), unnest($8::text[]), unnest($9::jsonb[]), unnest($10::text[]), unnest($11::text[]),
    unnest($12::uuid[]), unnest($13::timestamptz[]), unnest($14::text[]), unnest($15::jsonb[]), unnest($16::text[]),
    unnest($17::text[])
) AS c (run_id, run_seq, persisted_at, event_id, step_id, engine_attempt_id, logical_attempt_id, event_type, event_data,
  idempotency_key, caused_by_signal_id, parent_event_id, emitted_at, adapter_version, engine_run_ref, plan_id, plan_version)`,
};

const advance: Statement = {
  name: "copies_advance",
  text: `
UPDATE runledger.run_heads h SET head_seq = c.head, persisted_at = c.persisted_at
FROM unnest($1::text[], $2::bigint[], $3::timestamptz[]) AS c (run_id, head, persisted_at)
WHERE h.run_id = c.run_id`,
};

const announce: Statement = {
  name: "copies_announce",
  text: "INSERT INTO runledger.change_feed (run_ids, head_seqs) VALUES ($1::text[], $2::bigint[])",
};

const remember: Statement = {
  name: "copies_starts",
  text: `
INSERT INTO runledger.run_starts (start_key, run_id, input_hash)
SELECT unnest($1::text[]), unnest($2::text[]), unnest($3::text[]) ON CONFLICT (start_key) DO NOTHING`,
};

const restore: Statement = {
  name: "copies_restore",
  text: "DELETE FROM runledger.deleted_runs WHERE run_id = ANY ($1::text[]) RETURNING run_id, swept_at IS NULL",
};

export function writeCopies(db: Database, copies: readonly CheckedCopy[]): Promise<void> {
  return db.transaction(async (session) => {
    await lock(session, copies);
    await restoreDeleted(session, copies);
    await session.run(store, eventValues(copies));
    const ids = plainTextArray(copies.map(({ runId }) => runId));
    const heads = numberArray(copies.map(({ events }) => events.at(-1)!.runSeq));
    await session.run(advance, [ids, heads, textArray(copies.map(({ events }) => events.at(-1)!.persistedAt))]);
    await session.run(announce, [ids, heads]);
    await applyEffects(session, copies.map(effectOf));
    await rememberStarts(session, copies);
  });
}

async function lock(session: Session, copies: readonly CheckedCopy[]): Promise<void> {
  const ids = plainTextArray(copies.map(({ runId }) => runId));
  await session.run(makeHeads, [ids, plainTextArray(copies.map(({ tenantId }) => tenantId))]);
  const rows = (await session.run(lockHeads, [ids])) as [string, string, number][];
  const heads = new Map(rows.map(([runId, tenantId, headSeq]) => [runId, { tenantId, headSeq }]));
  for (const { runId, tenantId, afterSeq } of copies) {
    const head = heads.get(runId)!;
    if (head.headSeq !== afterSeq) throw new SeqMismatchError(runId, afterSeq, head.headSeq);
    if (head.tenantId !== tenantId)
      throw new StopError(
        "COPY_MISMATCH",
        `Run ${runId} belongs to tenant ${head.tenantId} here, but to ${tenantId} in the copy. Copy it into another store.`,
      );
  }
}

/** A run that was deleted can be imported again (A5). */
async function restoreDeleted(session: Session, copies: readonly CheckedCopy[]): Promise<void> {
  const rows = await session.run(restore, [plainTextArray(copies.map(({ runId }) => runId))]);
  const unswept = rows.find(([, isUnswept]) => isUnswept === true);
  if (unswept === undefined) return;
  throw new StopError(
    "COPY_MISMATCH",
    `Run ${unswept[0] as string} is being deleted here. Import it again in a minute.`,
  );
}

function eventValues(copies: readonly CheckedCopy[]): (string | null)[] {
  const events = copies.flatMap((copy) => copy.events);
  return [
    plainTextArray(copies.flatMap(({ runId, events: own }) => own.map(() => runId))),
    numberArray(events.map(({ runSeq }) => runSeq)),
    textArray(events.map(({ persistedAt }) => persistedAt)),
    ...eventArrays(events),
  ];
}

/** Leaves the queue as the original append left it. */
function effectOf({ runId, place }: CheckedCopy): RunAppend {
  return { runId, wakes: [], acts: false, ends: place === null, enqueues: place } as unknown as RunAppend;
}

async function rememberStarts(session: Session, copies: readonly CheckedCopy[]): Promise<void> {
  const started = copies.flatMap(({ runId, start }) => (start === undefined ? [] : [{ runId, ...start }]));
  if (started.length === 0) return;
  await session.run(remember, [
    textArray(started.map(({ startKey }) => startKey)),
    textArray(started.map(({ runId }) => runId)),
    textArray(started.map(({ inputHash }) => inputHash)),
  ]);
}
