/**
 * Moves finished runs from the log to the archive.
 *  A1  Under the head lock, the run must be terminal by fold at its head and without a lease, and every follower must
 *      be past the head. Copy and delete are one transaction per run. The head stays as a tombstone.
 * The fold happens before the lock and is valid while the head has not moved, so appends to a long run do not wait for
 * it.
 */
import type { ArchiveOutcome, NotArchived } from "@runledger/contracts";
import { isTerminal } from "@runledger/core";
import type { StoreLog } from "@runledger/core/store";
import { firstOf, type Database, type Session, type Statement } from "./client.js";
import { followedIds } from "./feed-prune.js";
import { fetchHeads } from "./heads.js";

const lock: Statement = {
  name: "archive_lock",
  text: `
SELECT h.head_seq, EXISTS (
  SELECT FROM runledger.workers w WHERE w.worker_id = h.lease_owner AND w.expires_at > clock_timestamp()
), h.archived_at IS NOT NULL
FROM runledger.run_heads h WHERE h.run_id = $1 FOR UPDATE OF h`,
};

/** A locked run gets no appends, so the feed row of its head is visible here. */
const followed: Statement = {
  name: "archive_followed",
  text: `
WITH ${followedIds}
SELECT EXISTS (
  SELECT FROM runledger.change_feed c, passed, holes
  WHERE $1 = ANY (c.run_ids) AND (c.id > passed.id OR c.id <@ holes.ids)
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

/** Retention finds archived runs by it. A run that was archived before its projection is marked later. */
const mark: Statement = {
  name: "archive_mark",
  text: "UPDATE runledger.run_index SET retention = 1 WHERE run_id = $1 AND retention = 0",
};

export async function archiveRun(db: Database, log: StoreLog, runId: string): Promise<ArchiveOutcome> {
  const [head] = await fetchHeads(db, { runIds: [runId], tenantId: undefined });
  if (head === undefined) return left(runId, "absent");
  if (head.archived) {
    await db.write(mark, [runId]);
    return { runId, archived: true, events: head.headSeq };
  }
  const snapshot = await log.projectWhole(runId);
  if (snapshot === null) return left(runId, "damaged");
  const { status, lastEventSeq } = snapshot;
  if (!isTerminal(status)) return left(runId, "not-terminal");
  return db.transaction((session) => move(session, runId, lastEventSeq), { patient: true });
}

async function move(session: Session, runId: string, foldedSeq: number): Promise<ArchiveOutcome> {
  const [headSeq, leased, archived] = firstOf(await session.run(lock, [runId])) as [number, boolean, boolean];
  if (archived) return { runId, archived: true, events: headSeq };
  if (headSeq !== foldedSeq) return left(runId, "changed");
  if (leased) return left(runId, "leased");
  if (firstOf(await session.run(followed, [runId]))[0] === true) return left(runId, "followed");
  for (const statement of [copy, remove, forget, entomb, mark]) await session.run(statement, [runId]);
  return { runId, archived: true, events: headSeq };
}

function left(runId: string, reason: NotArchived): ArchiveOutcome {
  return { runId, archived: false, reason };
}
