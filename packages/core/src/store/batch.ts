import type { RunAppend } from "./append-call.js";
import type { Waiting } from "./coalescer.js";

export interface BatchLimits {
  readonly maxEvents: number;
  /** Calls of a run that is already in the batch always join it, because they could not join another one. */
  readonly maxRuns?: number;
  /** Maximum size of the payloads. A larger statement would delay the statements next to it. */
  readonly maxBytes: number;
}

/**
 * Takes calls from the front of the queue until the batch is full. A call that does not fit keeps its place and holds
 * back every later call of the same runs, so that the calls of a run are never reordered.
 */
export function takeBatch(queue: Set<Waiting>, runsInFlight: ReadonlySet<string>, limits: BatchLimits): Waiting[] {
  const batch: Waiting[] = [];
  const taken = new Map<string, RunAppend>();
  const heldBack = new Set<string>();
  let room = { events: limits.maxEvents, bytes: limits.maxBytes };
  for (const waiting of queue) {
    if (room.events <= 0 || room.bytes <= 0) break;
    const { runs } = waiting.call;
    const fits = batch.length === 0 || (fitsInto(room, runs) && fitsRuns(taken, runs, limits));
    if (fits && runs.every((run) => mayJoin(run, taken, runsInFlight, heldBack))) {
      for (const run of runs) taken.set(run.runId, run);
      room = without(room, runs);
      queue.delete(waiting);
      batch.push(waiting);
    } else {
      for (const run of runs) heldBack.add(run.runId);
    }
  }
  return batch;
}

type Room = { readonly events: number; readonly bytes: number };

function without(room: Room, runs: readonly RunAppend[]): Room {
  let { events, bytes } = room;
  for (const run of runs) {
    events -= run.events.length;
    for (const { dataJson } of run.events) bytes -= dataJson.length;
  }
  return { events, bytes };
}

function fitsInto(room: Room, runs: readonly RunAppend[]): boolean {
  const left = without(room, runs);
  return left.events >= 0 && left.bytes >= 0;
}

function fitsRuns(taken: ReadonlyMap<string, RunAppend>, runs: readonly RunAppend[], limits: BatchLimits): boolean {
  const { maxRuns = Infinity } = limits;
  return taken.size < maxRuns || runs.every(({ runId }) => taken.has(runId));
}

function mayJoin(
  run: RunAppend,
  taken: ReadonlyMap<string, RunAppend>,
  runsInFlight: ReadonlySet<string>,
  heldBack: ReadonlySet<string>,
): boolean {
  if (runsInFlight.has(run.runId) || heldBack.has(run.runId)) return false;
  const before = taken.get(run.runId);
  return before === undefined || sameConditions(before, run);
}

/** Two calls can share a head update only if it is allowed or refused for both alike. */
function sameConditions(a: RunAppend, b: RunAppend): boolean {
  if (isAlone(a) || isAlone(b)) return false;
  return (
    a.fence === b.fence &&
    a.needsFence === b.needsFence &&
    a.mustExist === b.mustExist &&
    a.scoped === b.scoped &&
    a.tenantId === b.tenantId &&
    a.ends === b.ends // it changes the head
  );
}

/** Returns `true` for a call whose condition or checkpoint refers to the head before it. */
function isAlone({ expectedSeq, judgedAt, checkpoint }: RunAppend): boolean {
  return expectedSeq !== null || judgedAt !== null || checkpoint !== null;
}
