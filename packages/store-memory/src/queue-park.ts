import { RunNotFoundError, SeqMismatchError, StaleLeaseError, type ParkParams } from "@runledger/contracts";
import { headOf, type QueueRow, type Tables } from "./tables.js";

export function parkRun(tables: Tables, params: ParkParams): void {
  const { runId, epoch, expectedSeq, checkpoint } = params;
  const run = tables.runs.get(runId);
  if (run === undefined) throw new RunNotFoundError(runId);
  if (run.leaseEpoch !== epoch) throw new StaleLeaseError(runId, epoch, run.leaseEpoch);
  if (headOf(run) !== expectedSeq) throw new SeqMismatchError(runId, expectedSeq, headOf(run));
  run.leaseOwner = null;
  if (checkpoint !== null && checkpoint.seq > (tables.checkpoints.get(runId)?.seq ?? -1)) {
    tables.checkpoints.set(runId, { ...checkpoint });
  }
  const row = tables.queue.get(runId);
  if (row !== undefined) giveBack(tables, row, params);
}

function giveBack(tables: Tables, row: QueueRow, { wakes, wakeAt, unanswered = false }: ParkParams): void {
  const until = wakeAt === null ? Infinity : Date.parse(wakeAt);
  row.owner = null;
  row.slot = false;
  row.actsAt = unanswered && row.actsAt !== null ? until : null;
  if (row.startedAt !== null) row.availableAt = row.wakes === wakes ? until : tables.now();
}
