/**
 * Moving finished runs out of the log.
 *  A1  Under the head lock: terminal by fold at the head, no lease, every follower past the head. Copy and delete are
 *      one transaction per run; the head stays as a tombstone.
 * The fold happens before the lock and holds for as long as the head has not moved: a long run is not folded while
 * its appends wait.
 */
import type { ArchiveOutcome, NotArchived } from "@runledger/contracts";
import { isTerminal } from "@runledger/core";
import type { StoreLog } from "@runledger/core/store";
import { firstOf, type Database, type Session, type Statement } from "./client.js";
import { fetchHeads } from "./heads.js";

const lock: Statement = {
  name: "archive_lock",
  text: `
SELECT h.head_seq, EXISTS (
  SELECT FROM runledger.workers w WHERE w.worker_id = h.lease_owner AND w.expires_at > clock_timestamp()
), h.archived_at IS NOT NULL
FROM runledger.run_heads h WHERE h.run_id = $1 FOR UPDATE OF h`,
};

/** Nobody appends to a locked run, so whatever announced its head is visible here. */
const followed: Statement = {
  name: "archive_followed",
  text: `
SELECT EXISTS (
  SELECT FROM runledger.feed_followers f JOIN runledger.change_feed c ON c.id > f.last_id OR EXISTS (
    SELECT FROM jsonb_to_recordset(f.missing) AS hole ("from" bigint, "to" bigint)
    WHERE c.id BETWEEN hole."from" AND hole."to"
  )
  WHERE $1 = ANY (c.run_ids)
)`,
};

const copy: Statement = {
  name: "archive_copy",
  text: "INSERT INTO runledger.run_events_archive SELECT * FROM runledger.run_events WHERE run_id = $1",
};
const remove: Statement = { name: "archive_remove", text: "DELETE FROM runledger.run_events WHERE run_id = $1" };
const forget: Statement = { name: "archive_forget", text: "DELETE FROM runledger.checkpoints WHERE run_id = $1" };
const entomb: Statement = {
  name: "archive_entomb",
  text: "UPDATE runledger.run_heads SET archived_at = clock_timestamp(), lease_owner = NULL WHERE run_id = $1",
};

export async function archiveRun(db: Database, log: StoreLog, runId: string): Promise<ArchiveOutcome> {
  const [head] = await fetchHeads(db, { runIds: [runId], tenantId: undefined });
  if (head === undefined) return left(runId, "absent");
  if (head.archived) return { runId, archived: true, events: head.headSeq };
  const { status, lastEventSeq } = await log.projectSnapshot(runId);
  if (!isTerminal(status)) return left(runId, "not-terminal");
  return db.transaction((session) => move(session, runId, lastEventSeq));
}

async function move(session: Session, runId: string, foldedSeq: number): Promise<ArchiveOutcome> {
  const [headSeq, leased, archived] = firstOf(await session.run(lock, [runId])) as [number, boolean, boolean];
  if (archived) return { runId, archived: true, events: headSeq };
  if (headSeq !== foldedSeq) return left(runId, "changed");
  if (leased) return left(runId, "leased");
  if (firstOf(await session.run(followed, [runId]))[0] === true) return left(runId, "followed");
  for (const statement of [copy, remove, forget, entomb]) await session.run(statement, [runId]);
  return { runId, archived: true, events: headSeq };
}

function left(runId: string, reason: NotArchived): ArchiveOutcome {
  return { runId, archived: false, reason };
}
