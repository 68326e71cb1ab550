/** Marks finished runs as archived. Their items stay where they are: a table of DynamoDB has no cheaper place. */
import type { ArchiveOutcome, NotArchived } from "@runledger/contracts";
import { isTerminal } from "@runledger/core";
import type { WriteAction } from "./actions.js";
import { equals } from "./conditions.js";
import type { Db } from "./db.js";
import { dueActions, finishedOf } from "./due-runs.js";
import { Cancelled } from "./errors.js";
import { foldRun } from "./fold-run.js";
import { isFollowed } from "./followers.js";
import { readHead, type HeadItem } from "./heads.js";
import { isWorkerAlive } from "./queue-state.js";
import { readHeader } from "./snapshots.js";
import { checkpointKey, headKey, headsKey } from "./table.js";

/** A1: terminal by the fold at the head, no lease, every follower past the head. */
export async function archiveRun(db: Db, runId: string): Promise<ArchiveOutcome> {
  const head = await readHead(db.client, runId);
  if (head === null) return { runId, archived: false, reason: "absent" };
  const reason = head.archived ? null : await reasonToStay(db, head);
  if (reason !== null) return { runId, archived: false, reason };
  if (!head.archived && !(await markArchived(db, head))) return { runId, archived: false, reason: "changed" };
  db.heads.delete(runId);
  return { runId, archived: true, events: head.headSeq };
}

async function reasonToStay(db: Db, head: HeadItem): Promise<NotArchived | null> {
  const state = await foldRun(db, head);
  if (state === null) return "damaged";
  if (!isTerminal(state.status)) return "not-terminal";
  if (head.leaseOwner !== null && (await isWorkerAlive(db.client, head.leaseOwner))) return "leased";
  return (await isFollowed(db, head)) ? "followed" : null;
}

async function markArchived(db: Db, { runId, headSeq, leaseEpoch }: HeadItem): Promise<boolean> {
  const stored = await readHeader(db.client, runId);
  const tenantId = stored?.meta.tenantId ?? null;
  const due = (archived: boolean) => (tenantId === null ? null : finishedOf(stored!.header, tenantId, archived));
  const actions: WriteAction[] = [
    {
      kind: "update",
      key: headKey(runId),
      set: { archived: true, leaseOwner: null, cpSeq: null },
      when: equals({ headSeq, leaseEpoch, archived: null }),
    },
    { kind: "update", key: headsKey(runId), set: { archived: true } },
    { kind: "delete", key: checkpointKey(runId) },
    ...dueActions(due(false), due(true)),
  ];
  try {
    await db.client.transact(actions);
    return true;
  } catch (error) {
    if (error instanceof Cancelled) return false;
    throw error;
  }
}
