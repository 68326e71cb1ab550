import {
  OutcomeUnknownError,
  SeqMismatchError,
  StaleLeaseError,
  type AppendResult,
  type CanonicalEngineEvent,
  type Json,
  type RunledgerError,
} from "@runledger/contracts";
import type { RunAppend, RunOutcome } from "@runledger/core/store";
import { digestOf } from "../history/digest.js";
import { pause, runOf, underLock, type Bug, type Run, type Tables } from "./planted-tables.js";

/** Appends one run's part of a call. Each bug is a line or two that people really write. */
export function appendPart(tables: Tables, part: RunAppend): Promise<RunOutcome> {
  const run = runOf(tables, part.runId);
  return underLock(run, () => append(tables, run, part));
}

async function append(tables: Tables, run: Run, part: RunAppend): Promise<RunOutcome> {
  const { bug } = tables;
  const strikes = ++tables.appends % 5 === 0;
  await pause();
  const refusal = refusalOf(bug, run, part);
  if (refusal !== null && bug !== "refused-but-written") return refusal;
  if (bug === "gap" && strikes) run.nextSeq++;
  const first = bug === "cached-numbers" ? cachedNumber(run, tables.appends % 2, part.events.length) : run.nextSeq;
  const { results, written } = judge(bug, run, part, first);
  if (bug === "torn-by-a-crash" && strikes && written.length > 1) {
    run.events.push(written[0]!);
    return new OutcomeUnknownError();
  }
  if (!(bug === "lost-event" && strikes)) await makeVisible(bug, run, written);
  saveCheckpoint(bug, run, part, written);
  return refusal ?? results;
}

function refusalOf(bug: Bug | null, run: Run, { runId, events, fence, needsFence, expectedSeq }: RunAppend) {
  const stored = new Set(run.events.map((event) => event.idempotencyKey));
  if (events.every(({ event }) => stored.has(event.idempotencyKey))) return null;
  const stale = fence === null ? needsFence && run.epoch > 0 : fence !== run.epoch;
  if (stale && bug !== "stale-lease") return new StaleLeaseError(runId, fence, run.epoch) as RunledgerError;
  const headSeq = run.nextSeq - 1;
  const mismatch = expectedSeq !== null && expectedSeq !== headSeq;
  return mismatch ? (new SeqMismatchError(runId, expectedSeq, headSeq) as RunledgerError) : null;
}

interface Judged {
  readonly results: AppendResult[];
  readonly written: CanonicalEngineEvent[];
}

/** Numbers new events and returns the stored results of the others. */
function judge(bug: Bug | null, run: Run, part: RunAppend, first: number): Judged {
  const startedAt = second();
  const visible = bug === "duplicate-key" ? run.events.slice(0, -3) : run.events; // its index lags behind
  const stored = new Map(visible.map((event) => [event.idempotencyKey, event]));
  const written: CanonicalEngineEvent[] = [];
  let next = first;
  const events = bug === "reordered-batch" ? [...part.events].reverse() : part.events;
  const results = events.map(({ event, dataJson }): AppendResult => {
    const eventData = JSON.parse(dataJson) as Json;
    const known = stored.get(event.idempotencyKey);
    if (known !== undefined) return duplicate(bug, run, known, eventData, startedAt);
    const row = { ...event, eventData, runSeq: next++, persistedAt: second() };
    stored.set(event.idempotencyKey, row);
    written.push(row);
    return { runSeq: row.runSeq, idempotent: false, persisted: true };
  });
  run.nextSeq = Math.max(run.nextSeq, next);
  return { results: bug === "reordered-batch" ? results.reverse() : results, written };
}

function duplicate(
  bug: Bug | null,
  run: Run,
  known: CanonicalEngineEvent,
  eventData: Json,
  startedAt: string,
): AppendResult {
  const conflict = digestOf(known.eventData) !== digestOf(eventData) ? { conflict: true } : {};
  const idempotent = bug !== "idempotent-from-time" || known.persistedAt! < startedAt;
  if (bug === "last-write-wins") Object.assign(known, { eventData });
  const runSeq = bug === "renumbered-duplicate" ? run.nextSeq - 1 : known.runSeq;
  return { runSeq, idempotent, persisted: !idempotent, ...(idempotent ? conflict : {}) };
}

async function makeVisible(bug: Bug | null, run: Run, written: readonly CanonicalEngineEvent[]): Promise<void> {
  if (bug !== "torn-batch" && bug !== "read-skips-in-flight") return void run.events.push(...written);
  const order = bug === "torn-batch" ? written : [...written].reverse();
  for (const event of order) {
    run.events.push(event);
    await pause();
  }
}

function saveCheckpoint(bug: Bug | null, run: Run, part: RunAppend, written: readonly CanonicalEngineEvent[]): void {
  if (part.checkpoint === null || part.checkpoint.seq <= (run.checkpoint?.seq ?? -1) || written.length === 0) return;
  const seq = bug === "checkpoint-own-seq" ? written.at(-1)!.runSeq : part.checkpoint.seq;
  run.checkpoint = { ...part.checkpoint, seq };
}

/** Two servers, each with a range of numbers drawn in advance, like a sequence with a cache. */
function cachedNumber(run: Run, server: number, count: number): number {
  const range = run.ranges[server] ?? { next: 0, end: 0 };
  if (range.next + count > range.end) Object.assign(range, { next: run.nextSeq, end: (run.nextSeq += 20) });
  run.ranges[server] = range;
  range.next += count;
  return range.next - count;
}

/** A clock with a resolution of one second, like many stored timestamps. */
function second(): string {
  return new Date(Math.floor(Date.now() / 1000) * 1000).toISOString();
}
