import {
  checkEvent,
  SeqMismatchError,
  StaleLeaseError,
  type Checkpoint,
  type HeldRun,
  type PlanRef,
  type RunStart,
} from "@runledger/contracts";
import { prepareCall } from "@runledger/core/store";
import { appendPart } from "./append-events.js";
import { enqueue } from "./queue-effects.js";
import { takeTick } from "./schedules.js";
import { isAlive, type QueueRow, type Tables } from "./tables.js";

export function startRun(tables: Tables, start: RunStart): { runId: string; created: boolean; inputHash: string } {
  const known = tables.starts.get(start.startKey);
  if (known !== undefined) return { ...known, created: false };
  const { event, kept = [], startKey, inputHash, tenantId, logFormat, priority, parent, tick } = start;
  const parentEpoch = parent && (tables.runs.get(parent.runId)?.leaseEpoch ?? 0);
  if (parent?.epoch !== parentEpoch) throw new StaleLeaseError(parent!.runId, parent!.epoch, parentEpoch!);
  const { runId, planId = "", planVersion } = checkEvent(event).event;
  const { runs } = prepareCall([event, ...kept], {}, { tenantId });
  const earlier = tick === undefined ? null : takeTick(tables, { tenantId, ...tick }, runId);
  if (earlier !== null) return { runId: earlier, created: false, inputHash };
  tables.starts.set(startKey, { runId, inputHash });
  for (const part of runs) appendPart(tables, part);
  enqueue(tables, runId, { planId, planVersion, logFormat, priority });
  return { runId, created: true, inputHash };
}

export function claimRuns(
  tables: Tables,
  params: { workerId: string; plans: readonly PlanRef[]; logFormat: number; limit: number },
): { now: string; runs: HeldRun[] } {
  const { workerId, plans, logFormat, limit } = params;
  const knows = (row: QueueRow): boolean =>
    row.logFormat <= logFormat &&
    plans.some(({ planId, planVersion }) => planId === row.planId && planVersion === row.planVersion);
  const due = [...tables.queue.values()].filter((row) => isClaimable(tables, row) && knows(row));
  due.sort((a, b) => b.priority - a.priority || a.availableAt - b.availableAt);
  const alive = isAlive(tables, workerId);
  const runs = alive ? due.slice(0, limit).map((row) => claim(tables, row, workerId)) : [];
  return { now: new Date(tables.now()).toISOString(), runs };
}

function isClaimable(tables: Tables, { owner, availableAt }: QueueRow): boolean {
  return owner === null ? availableAt <= tables.now() : !isAlive(tables, owner);
}

function claim(tables: Tables, row: QueueRow, workerId: string): HeldRun {
  const run = tables.runs.get(row.runId)!;
  const takenFrom = row.owner;
  row.owner = workerId;
  run.leaseEpoch++;
  run.leaseOwner = workerId;
  return held(tables, row, takenFrom);
}

function held(tables: Tables, row: QueueRow, takenFrom: string | null): HeldRun {
  const { runId, planId, planVersion, wakes } = row;
  const { leaseEpoch: epoch, events } = tables.runs.get(runId)!;
  return { runId, planId, planVersion, epoch, takenFrom, headSeq: events.length, wakes };
}

export function heldRuns(tables: Tables, workerId: string): { now: string; runs: HeldRun[] } {
  const owned = [...tables.queue.values()].filter(({ owner }) => owner === workerId);
  return { now: new Date(tables.now()).toISOString(), runs: owned.map((row) => held(tables, row, null)) };
}

export function parkRun(
  tables: Tables,
  params: {
    workerId: string;
    runId: string;
    epoch: number;
    expectedSeq: number;
    wakes: number;
    wakeAt: string | null;
    checkpoint: Checkpoint | null;
  },
): void {
  const { runId, epoch, expectedSeq, wakes, wakeAt, checkpoint } = params;
  const run = tables.runs.get(runId)!;
  if (run.leaseEpoch !== epoch) throw new StaleLeaseError(runId, epoch, run.leaseEpoch);
  if (run.events.length !== expectedSeq) throw new SeqMismatchError(runId, expectedSeq, run.events.length);
  run.leaseOwner = null;
  if (checkpoint !== null && checkpoint.seq > (tables.checkpoints.get(runId)?.seq ?? -1)) {
    tables.checkpoints.set(runId, { ...checkpoint });
  }
  const row = tables.queue.get(runId);
  if (row === undefined) return;
  row.owner = null;
  if (row.wakes !== wakes) row.availableAt = tables.now();
  else row.availableAt = wakeAt === null ? Infinity : Date.parse(wakeAt);
}
