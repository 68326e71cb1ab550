/**
 * Moves finished runs from the log to the archive.
 *  A1  Under the head lock, the run must be terminal by fold at its head and without a lease. Copy and delete are one
 *      transaction per run. The head stays as a tombstone.
 * The fold happens before the lock and is valid while the head has not moved. Snowflake has no feed, so there are no
 * followers.
 */
import type { ArchiveOutcome, NotArchived } from "@runledger/contracts";
import { isTerminal } from "@runledger/core";
import type { StoreLog } from "@runledger/core/store";
import type { Call, Database } from "./client.js";
import { eventColumns } from "./event-rows.js";
import { fetchHeads } from "./heads.js";
import type { Write } from "./locked-writes.js";

/**
 * Turns the head into a tombstone if no other transaction has. All later statements move the runs of new tombstones.
 */
const entomb = `
UPDATE RUN_HEADS SET ARCHIVED_AT = SYSDATE(), LEASE_OWNER = NULL
WHERE RUN_ID = ? AND HEAD_SEQ = ? AND ARCHIVED_AT IS NULL AND LEASE_OWNER IS NULL`;

const entombed = "(SELECT 1 FROM RUN_HEADS h WHERE h.RUN_ID = ? AND h.ARCHIVED_AT IS NOT NULL)";

const copy = `
INSERT INTO RUN_EVENTS_ARCHIVE (${eventColumns})
SELECT ${eventColumns} FROM RUN_EVENTS WHERE RUN_ID = ? AND EXISTS ${entombed}`;
const remove = `DELETE FROM RUN_EVENTS WHERE RUN_ID = ? AND EXISTS ${entombed}`;
const forget = `DELETE FROM CHECKPOINTS WHERE RUN_ID = ? AND EXISTS ${entombed}`;

const answer = "SELECT HEAD_SEQ, ARCHIVED_AT IS NOT NULL, LEASE_OWNER IS NOT NULL FROM RUN_HEADS WHERE RUN_ID = ?";

export async function archiveRun(db: Database, log: StoreLog, write: Write, runId: string): Promise<ArchiveOutcome> {
  const [head] = await fetchHeads(db, { runIds: [runId], tenantId: undefined });
  if (head === undefined) return left(runId, "absent");
  if (head.archived) return { runId, archived: true, events: head.headSeq };
  const snapshot = await log.projectWhole(runId);
  if (snapshot === null) return left(runId, "damaged");
  const { status, lastEventSeq } = snapshot;
  if (!isTerminal(status)) return left(runId, "not-terminal");
  const rows = await write(calls(runId, lastEventSeq), { text: answer, values: [runId] });
  const [headSeq, archived, leased] = rows[0] as [number, boolean, boolean];
  if (archived) return { runId, archived, events: headSeq };
  return left(runId, leased ? "leased" : "changed");
}

function calls(runId: string, foldedSeq: number): Call[] {
  return [
    { text: entomb, values: [runId, foldedSeq] },
    ...[copy, remove, forget].map((text) => ({ text, values: [runId, runId] })),
  ];
}

function left(runId: string, reason: NotArchived): ArchiveOutcome {
  return { runId, archived: false, reason };
}
