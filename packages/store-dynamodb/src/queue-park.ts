import { RunNotFoundError, SeqMismatchError, StaleLeaseError, type ParkParams } from "@runledger/contracts";
import type { WriteAction } from "./actions.js";
import { checkpointActions } from "./checkpoints.js";
import { equals } from "./conditions.js";
import type { Db } from "./db.js";
import { tryTransact, untilCurrent } from "./documents.js";
import { readHead } from "./heads.js";
import { readRows, writeRow, type QueueRow } from "./queue-rows.js";
import { headKey } from "./table.js";

/** Head, row and checkpoint change together, or not at all. A wake-up in between is read by the next attempt. */
export async function parkRun(db: Db, params: ParkParams): Promise<void> {
  const { client } = db;
  const { runId, epoch, expectedSeq } = params;
  await untilCurrent(async () => {
    const [head, [row = null]] = await Promise.all([readHead(client, runId), readRows(client, [runId])]);
    if (head === null) throw new RunNotFoundError(runId);
    if (head.leaseEpoch !== epoch) throw new StaleLeaseError(runId, epoch, head.leaseEpoch);
    if (head.headSeq !== expectedSeq) throw new SeqMismatchError(runId, expectedSeq, head.headSeq);
    const saved = checkpointActions(head, params.checkpoint);
    const when = equals({ leaseEpoch: epoch, headSeq: expectedSeq });
    const released: WriteAction = {
      kind: "update",
      key: headKey(runId),
      set: { leaseOwner: null, ...saved.set },
      when,
    };
    const parked = row === null ? [] : await writeRow(client, row, givenBack(row, params, client.clock.now()));
    db.heads.delete(runId);
    return (await tryTransact(client, [released, ...saved.actions, ...parked])) || undefined;
  });
}

function givenBack(row: QueueRow, { wakes, wakeAt, unanswered = false }: ParkParams, now: number): QueueRow {
  const until = wakeAt === null ? Infinity : Date.parse(wakeAt);
  const actsAt = unanswered && row.actsAt !== null ? until : null;
  if (row.startedAt === null) return { ...row, owner: null, slot: false, actsAt };
  return { ...row, owner: null, slot: false, actsAt, availableAt: row.wakes === wakes ? until : now };
}
