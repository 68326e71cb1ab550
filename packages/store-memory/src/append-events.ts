import { isDeepStrictEqual } from "node:util";
import {
  RunArchivedError,
  RunNotFoundError,
  SeqMismatchError,
  StaleLeaseError,
  type AppendResult,
  type CanonicalEngineEvent,
  type CheckedEvent,
  type RunledgerError,
} from "@runledger/contracts";
import type { RunAppend, RunOutcome } from "@runledger/core/store";
import { act, enqueue, wake } from "./queue-effects.js";
import { visibleRun, type RunTable, type Tables } from "./tables.js";

export function appendPart(tables: Tables, part: RunAppend): RunOutcome {
  const run = tables.runs.get(part.runId);
  if (run === undefined && !part.mustExist) return store(tables, newRun(tables, part), part);
  const visible = visibleRun(tables, part.runId, part.scoped ? part.tenantId : undefined);
  if (visible === undefined) return new RunNotFoundError(part.runId);
  const known = part.events.every(({ event }) => visible.seqByKey.has(event.idempotencyKey));
  const refusal = known ? null : refusalOf(visible, part); // what is stored is answered whatever the conditions
  return refusal ?? store(tables, visible, part);
}

function newRun(tables: Tables, { runId, tenantId }: RunAppend): RunTable {
  const run: RunTable = {
    runId,
    tenantId,
    events: [],
    seqByKey: new Map(),
    persistedAt: 0,
    leaseEpoch: 0,
    leaseOwner: null,
    archived: false,
  };
  tables.runs.set(runId, run);
  return run;
}

function refusalOf(run: RunTable, part: RunAppend): RunledgerError | null {
  const { expectedSeq, fence, needsFence } = part;
  if (run.archived) return new RunArchivedError(run.runId);
  const fenced = fence === null ? needsFence && run.leaseEpoch > 0 : fence !== run.leaseEpoch;
  if (fenced) return new StaleLeaseError(run.runId, fence, run.leaseEpoch); // P4
  const headSeq = run.events.length;
  if (expectedSeq === null || expectedSeq === headSeq) return null;
  return new SeqMismatchError(run.runId, expectedSeq, headSeq); // P3
}

function store(tables: Tables, run: RunTable, part: RunAppend): readonly AppendResult[] {
  const headBefore = run.events.length;
  const persistedAt = Math.max(run.persistedAt, tables.now());
  const results = part.events.map((checked) => storeEvent(run, checked, persistedAt));
  if (run.events.length === headBefore) return results; // a repeated call has had its effects, and must not have them again
  announce(tables, run, persistedAt);
  const { checkpoint } = part;
  const latest = tables.checkpoints.get(run.runId)?.seq ?? -1;
  if (checkpoint !== null && checkpoint.seq <= headBefore && checkpoint.seq > latest) {
    tables.checkpoints.set(run.runId, { ...checkpoint }); // C2
  }
  for (const runId of part.wakes) wake(tables, runId);
  if (part.acts) act(tables, run.runId);
  if (part.ends) tables.queue.delete(run.runId);
  if (part.enqueues !== null) enqueue(tables, run, part.enqueues);
  return results;
}

function storeEvent(run: RunTable, { event, dataJson, refJson }: CheckedEvent, persistedAt: number): AppendResult {
  const data: unknown = JSON.parse(dataJson);
  const known = run.seqByKey.get(event.idempotencyKey);
  if (known !== undefined) {
    const conflict = !isDeepStrictEqual(run.events[known - 1]!.eventData, data);
    return { runSeq: known, idempotent: true, persisted: false, ...(conflict ? { conflict } : {}) }; // K5
  }
  const runSeq = run.events.length + 1;
  const engineRunRef = refJson === null ? {} : { engineRunRef: JSON.parse(refJson) as unknown };
  const stored = {
    ...event,
    ...engineRunRef,
    runSeq,
    eventData: data,
    persistedAt: new Date(persistedAt).toISOString(),
  };
  run.events.push(freeze(stored) as CanonicalEngineEvent);
  run.seqByKey.set(event.idempotencyKey, runSeq);
  return { runSeq, idempotent: false, persisted: true };
}

function announce(tables: Tables, run: RunTable, persistedAt: number): void {
  run.persistedAt = persistedAt;
  tables.feed.changes.set(tables.feed.nextId++, { runId: run.runId, headSeq: run.events.length });
}

/** Readers share the stored object; nobody may change it. */
function freeze(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  for (const part of Object.values(value)) freeze(part);
  return Object.freeze(value);
}
