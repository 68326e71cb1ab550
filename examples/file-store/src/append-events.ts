/** The rules of an append: who is refused (P3, P5), what is a duplicate (K5), and what gets which number (P2). */
import { isDeepStrictEqual } from "node:util";
import {
  RunNotFoundError,
  SeqMismatchError,
  StaleLeaseError,
  type AppendResult,
  type CanonicalEngineEvent,
  type CheckedEvent,
  type Checkpoint,
  type Json,
  type RunledgerError,
} from "@runledger/contracts";
import type { RunAppend, RunOutcome } from "@runledger/core/store";
import { visibleRun, type RunTable, type Tables } from "./tables.js";

/** What a part comes to. Nothing is changed yet: the journal has to say it first. */
export interface JudgedPart {
  readonly outcome: RunOutcome;
  readonly events: readonly CanonicalEngineEvent[];
  readonly checkpoint: Checkpoint | null;
}

export function judgePart(tables: Tables, part: RunAppend): JudgedPart {
  const run = visibleRun(tables, part.runId, part.scoped ? part.tenantId : undefined);
  if (run === undefined && (part.mustExist || tables.runs.has(part.runId)))
    return refuse(new RunNotFoundError(part.runId));
  const stored = run?.byKey ?? new Map<string, CanonicalEngineEvent>();
  const isKnown = part.events.every(({ event }) => stored.has(event.idempotencyKey));
  const refusal = isKnown ? null : refusalOf(part, stored.size); // what is stored is answered whatever the conditions
  return refusal === null ? accept(tables, run, part) : refuse(refusal);
}

function refuse(outcome: RunledgerError): JudgedPart {
  return { outcome, events: [], checkpoint: null };
}

function refusalOf({ runId, fence, expectedSeq }: RunAppend, headSeq: number): RunledgerError | null {
  if (fence !== null) return new StaleLeaseError(runId, fence, 0); // there are no leases here, hence no epoch but 0
  if (expectedSeq === null || expectedSeq === headSeq) return null;
  return new SeqMismatchError(runId, expectedSeq, headSeq);
}

function accept(tables: Tables, run: RunTable | undefined, part: RunAppend): JudgedPart {
  const head = run?.events.length ?? 0;
  const persistedAt = notBefore(run?.events.at(-1)?.persistedAt);
  const events = new Map<string, CanonicalEngineEvent>();
  const outcome = part.events.map((checked): AppendResult => {
    const key = checked.event.idempotencyKey;
    const known = run?.byKey.get(key) ?? events.get(key);
    if (known !== undefined) return duplicateOf(known, checked);
    const runSeq = head + events.size + 1;
    events.set(key, toStored(checked, runSeq, persistedAt));
    return { runSeq, idempotent: false, persisted: true };
  });
  return { outcome, events: [...events.values()], checkpoint: newer(tables, part, outcome) };
}

function duplicateOf(known: CanonicalEngineEvent, { dataJson }: CheckedEvent): AppendResult {
  const conflict = !isDeepStrictEqual(known.eventData, JSON.parse(dataJson));
  return { runSeq: known.runSeq, idempotent: true, persisted: false, ...(conflict ? { conflict } : {}) };
}

/** From its JSON, so that what is kept is what a reader of the file would read. */
function toStored(
  { event, dataJson, refJson }: CheckedEvent,
  runSeq: number,
  persistedAt: string,
): CanonicalEngineEvent {
  const engineRunRef = refJson === null ? {} : { engineRunRef: JSON.parse(refJson) as Json };
  return { ...event, ...engineRunRef, eventData: JSON.parse(dataJson) as Json, runSeq, persistedAt };
}

/** C2: folded before what this call writes, and newer than the one that is kept. */
function newer(tables: Tables, { runId, checkpoint }: RunAppend, results: readonly AppendResult[]): Checkpoint | null {
  const first = results.find((result) => result.persisted)?.runSeq ?? 0; // a call that writes nothing saves nothing
  const kept = tables.checkpoints.get(runId)?.seq ?? -1;
  return checkpoint !== null && checkpoint.seq < first && checkpoint.seq > kept ? checkpoint : null;
}

/** Clocks go back; the log does not. */
function notBefore(last = ""): string {
  const now = new Date().toISOString();
  return now > last ? now : last;
}
