/** Decides an append: refusals (P3, P5, G1), duplicates (K5) and numbers (P2). */
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
import { verdictRefusal, type RunAppend, type RunOutcome } from "@runledger/core/store";
import { visibleRun, type RunTable, type Tables } from "./tables.js";

/** The outcome of one part. It changes no table: the journal must contain it first. */
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
  const refusal = isKnown ? null : refusalOf(part, run?.events ?? []); // stored events are returned regardless of the conditions
  return refusal === null ? accept(tables, run, part) : refuse(refusal);
}

function refuse(outcome: RunledgerError): JudgedPart {
  return { outcome, events: [], checkpoint: null };
}

function refusalOf(part: RunAppend, events: readonly CanonicalEngineEvent[]): RunledgerError | null {
  const { runId, fence, expectedSeq, judgedAt } = part;
  const headSeq = events.length;
  if (fence !== null) return new StaleLeaseError(runId, fence, 0); // this store has no leases, so the epoch is always 0
  if (expectedSeq !== null && expectedSeq !== headSeq) return new SeqMismatchError(runId, expectedSeq, headSeq);
  if (judgedAt === null) return null;
  const persistedAt = Date.parse(notBefore(events.at(-1)?.persistedAt));
  return verdictRefusal(judgedAt, { runId, headSeq, later: events.slice(judgedAt.seq), persistedAt }); // G1
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

/** Parses the JSON again, so that memory holds exactly what a reader of the file would get. */
function toStored(
  { event, dataJson, refJson }: CheckedEvent,
  runSeq: number,
  persistedAt: string,
): CanonicalEngineEvent {
  const engineRunRef = refJson === null ? {} : { engineRunRef: JSON.parse(refJson) as Json };
  return { ...event, ...engineRunRef, eventData: JSON.parse(dataJson) as Json, runSeq, persistedAt };
}

/** A checkpoint must be folded before the events of this call, and be newer than the stored one (C2). */
function newer(tables: Tables, { runId, checkpoint }: RunAppend, results: readonly AppendResult[]): Checkpoint | null {
  const first = results.find((result) => result.persisted)?.runSeq ?? 0; // a call that writes nothing saves nothing
  const kept = tables.checkpoints.get(runId)?.seq ?? -1;
  return checkpoint !== null && checkpoint.seq < first && checkpoint.seq > kept ? checkpoint : null;
}

/** The clock may go back; times in the log must not. */
function notBefore(last = ""): string {
  const now = new Date().toISOString();
  return now > last ? now : last;
}
