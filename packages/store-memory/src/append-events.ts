import { isDeepStrictEqual } from "node:util";
import {
  RetryError,
  RunArchivedError,
  RunNotFoundError,
  SeqMismatchError,
  StaleLeaseError,
  type AppendResult,
  type CanonicalEngineEvent,
  type CheckedEvent,
  type RunledgerError,
} from "@runledger/contracts";
import { isFencedOff, verdictRefusal, type RunAppend, type RunOutcome } from "@runledger/core/store";
import { act, enqueue, wake } from "./queue-effects.js";
import { addChange } from "./change-feed.js";
import { headOf, placeAfter, visibleRun, type RunTable, type Tables } from "./tables.js";

/** `numbers` are those drawn beforehand for its events (P10). Defaults to the next ones, without a gap (P2). */
export function appendPart(tables: Tables, part: RunAppend, numbers: readonly number[] | null = null): RunOutcome {
  const run = tables.runs.get(part.runId);
  if (run === undefined && !part.mustExist) return store(tables, newRun(tables, part), part, numbers);
  const visible = visibleRun(tables, part.runId, part.scoped ? part.tenantId : undefined);
  if (visible === undefined) return new RunNotFoundError(part.runId);
  const known = part.events.every(({ event }) => visible.seqByKey.has(event.idempotencyKey));
  const refusal = known ? null : refusalOf(tables, visible, part); // stored events are answered regardless of the conditions
  if (numbers?.some((seq) => seq <= visible.settledSeq) === true && !known) return givenUp(part.runId);
  return refusal ?? store(tables, visible, part, numbers);
}

/** Returns `true` for a call that needs no numbers: it is refused, or all of its events are stored. */
export function needsNoNumbers(tables: Tables, part: RunAppend): boolean {
  const run = visibleRun(tables, part.runId, part.scoped ? part.tenantId : undefined);
  if (run === undefined) return part.mustExist || tables.runs.has(part.runId);
  return (
    part.events.every(({ event }) => run.seqByKey.has(event.idempotencyKey)) || refusalOf(tables, run, part) !== null
  );
}

/** P10: these numbers were given up, and readers have moved past them. */
function givenUp(runId: string): RunledgerError {
  return new RetryError("STORE_BUSY", `Numbers drawn for run ${runId} were given up in the meantime. Append again.`);
}

export function newRun(tables: Tables, { runId, tenantId }: Pick<RunAppend, "runId" | "tenantId">): RunTable {
  const run: RunTable = {
    runId,
    tenantId,
    events: [],
    seqByKey: new Map(),
    persistedAt: 0,
    leaseEpoch: 0,
    leaseOwner: null,
    archived: false,
    settledSeq: 0,
  };
  tables.runs.set(runId, run);
  return run;
}

function refusalOf(tables: Tables, run: RunTable, part: RunAppend): RunledgerError | null {
  const { expectedSeq, judgedAt, fence } = part;
  if (run.archived) return new RunArchivedError(run.runId);
  if (isFencedOff(part, run.leaseEpoch)) return new StaleLeaseError(run.runId, fence, run.leaseEpoch); // P4
  const headSeq = headOf(run);
  if (expectedSeq !== null && expectedSeq !== headSeq) return new SeqMismatchError(run.runId, expectedSeq, headSeq); // P3
  if (judgedAt === null) return null;
  const later = run.events.slice(placeAfter(run, judgedAt.seq));
  const persistedAt = Math.max(run.persistedAt, tables.now());
  return verdictRefusal(judgedAt, { runId: run.runId, headSeq, later, persistedAt }); // G1
}

function store(
  tables: Tables,
  run: RunTable,
  part: RunAppend,
  numbers: readonly number[] | null,
): readonly AppendResult[] {
  const [headBefore, countBefore] = [headOf(run), run.events.length];
  const persistedAt = Math.max(run.persistedAt, tables.now());
  const results = part.events.map((checked, index) => storeEvent(run, checked, persistedAt, numbers?.[index]));
  if (run.events.length === countBefore) return results; // a repeated call has already had its effects
  announce(tables, run, persistedAt);
  const { checkpoint } = part;
  const latest = tables.checkpoints.get(run.runId)?.seq ?? -1;
  if (checkpoint !== null && checkpoint.seq <= headBefore && checkpoint.seq > latest) {
    tables.checkpoints.set(run.runId, { ...checkpoint }); // C2
  }
  for (const runId of part.wakes) wake(tables, runId);
  if (part.acts) act(tables, run.runId);
  if (part.ends) {
    tables.queue.delete(run.runId);
    run.leaseOwner = null; // the owner that finished the run no longer holds it
  }
  if (part.enqueues !== null) enqueue(tables, run, part.enqueues);
  return results;
}

function storeEvent(
  run: RunTable,
  { event, dataJson, refJson }: CheckedEvent,
  persistedAt: number,
  runSeq = headOf(run) + 1,
): AppendResult {
  const data: unknown = JSON.parse(dataJson);
  const known = run.seqByKey.get(event.idempotencyKey);
  if (known !== undefined) {
    const conflict = !isDeepStrictEqual(run.events[placeAfter(run, known - 1)]!.eventData, data);
    return { runSeq: known, idempotent: true, persisted: false, ...(conflict ? { conflict } : {}) }; // K5
  }
  const engineRunRef = refJson === null ? {} : { engineRunRef: JSON.parse(refJson) as unknown };
  const stored = {
    ...event,
    ...engineRunRef,
    runSeq,
    eventData: data,
    persistedAt: new Date(persistedAt).toISOString(),
  };
  run.events.splice(placeAfter(run, runSeq), 0, freeze(stored) as CanonicalEngineEvent);
  run.seqByKey.set(event.idempotencyKey, runSeq);
  return { runSeq, idempotent: false, persisted: true };
}

export function announce(tables: Tables, run: RunTable, persistedAt: number): void {
  run.persistedAt = persistedAt;
  addChange(tables, { runId: run.runId, headSeq: headOf(run) });
}

/** Readers share the stored object, so it must not change. */
export function freeze(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  for (const part of Object.values(value)) freeze(part);
  return Object.freeze(value);
}
