/**
 * Deletes an archived run (A5). One transaction removes its head, so that it does not exist for readers. The rest is removed by
 * `sweepDeleted`, which any process continues.
 */
import type { DeleteOutcome, NotDeleted } from "@runledger/contracts";
import { equals } from "./conditions.js";
import type { Db } from "./db.js";
import { isUndelivered } from "./deliveries.js";
import { text } from "./encoding.js";
import { Cancelled } from "./errors.js";
import { readHead, readHeads, type HeadItem } from "./heads.js";
import { holdRun } from "./hold-run.js";
import { queryAll } from "./items.js";
import { readHeader } from "./snapshots.js";
import { noteDeleted } from "./start-keys.js";
import { buried, sweepRun } from "./sweep-deleted.js";
import { headKey, headsKey, linkPartition } from "./table.js";

export async function deleteRun(db: Db, runId: string): Promise<DeleteOutcome> {
  for (;;) {
    const head = await readHead(db.client, runId);
    const reason = head === null ? "absent" : await reasonToKeep(db, head);
    if (reason === "child" || reason === "forked") await holdRun(db, runId);
    if (reason !== null) return { runId, deleted: false, reason };
    if (!(await removeHead(db, head!))) continue;
    db.heads.delete(runId);
    await sweepRun(db, runId);
    return { runId, deleted: true };
  }
}

async function removeHead(db: Db, { runId, tenantId, headSeq }: HeadItem): Promise<boolean> {
  const noted = await noteDeleted(db.client, runId, db.client.clock.now());
  try {
    await db.client.transact([
      { kind: "delete", key: headKey(runId), when: equals({ headSeq, archived: true }) },
      { kind: "delete", key: headsKey(runId) },
      buried(runId, tenantId),
      ...noted,
    ]);
    return true;
  } catch (error) {
    if (error instanceof Cancelled) return false;
    throw error;
  }
}

async function reasonToKeep(db: Db, { runId, tenantId, archived }: HeadItem): Promise<NotDeleted | null> {
  if (!archived) return "not-archived";
  const parent: unknown = (await readHeader(db.client, runId))?.header.parent?.runId;
  if (typeof parent === "string" && (await readHead(db.client, parent)) !== null) return "child";
  const forks = await queryAll(db.client, { pk: linkPartition(tenantId, "fork", runId) });
  const heads = await readHeads(
    db.client,
    forks.map((fork) => text(fork, "runId")),
  );
  if (heads.some((head) => head !== null)) return "forked";
  return (await isUndelivered(db.client, tenantId, runId)) ? "undelivered" : null;
}
