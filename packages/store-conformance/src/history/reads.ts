/**
 * Every read is a prefix (F6): a page starts directly after `afterSeq`, holds what the log holds, and ends between two
 * calls. It does not end before an event that was known to be stored when the read started. If numbers may be missing
 * (P10), a page may end early, before a gap. It never passes a gap that was filled later.
 */
import type { ReadOperation } from "./history.js";
import { nameOf, type RunFacts } from "./run-facts.js";
import type { Report, Violation } from "./violation.js";

export function checkReads(facts: RunFacts, contiguous: boolean, report: Report): void {
  const knownFrom = earliestKnownFrom(facts);
  for (const read of facts.reads) {
    const fail = (invariant: Violation["invariant"], seq: number, message: string): void =>
      report({ invariant, seq, operation: nameOf(read), message: `${nameOf(read)} ${message}` });
    checkPage(read, facts, contiguous, fail);
    if (contiguous && !isCut(read)) checkEnd(read, facts, knownFrom, fail);
  }
}

type Fail = (invariant: Violation["invariant"], seq: number, message: string) => void;

/** For each row: the earliest time when it or a later one was known to be stored. */
function earliestKnownFrom({ rows }: RunFacts): number[] {
  const times: number[] = Array.from({ length: rows.length });
  let earliest = Number.POSITIVE_INFINITY;
  for (let index = rows.length - 1; index >= 0; index--) {
    earliest = Math.min(earliest, rows[index]!.knownAt);
    times[index] = earliest;
  }
  return times;
}

function checkPage(read: ReadOperation, { rows, rowOfSeq }: RunFacts, contiguous: boolean, fail: Fail): void {
  let previous = read.afterSeq;
  for (const { seq, key } of read.events) {
    const before = previous === 0 ? -1 : rowOfSeq.get(previous)?.index;
    const isNextInLog = before === undefined || rows[before + 1]?.event.runSeq === seq;
    const follows = contiguous ? seq === previous + 1 : seq > previous && isNextInLog;
    if (!follows)
      fail("read-is-a-prefix", seq, `read seq ${seq} right after ${previous}; what lies between was skipped.`);
    if (rowOfSeq.get(seq)?.event.idempotencyKey !== key)
      fail("read-is-a-prefix", seq, `read an event at seq ${seq} that the log does not hold there.`);
    previous = seq;
  }
}

/** Returns `true` if the page ended because of its limits, not because the log ended. */
function isCut({ events, limit, toSeq, scoped }: ReadOperation): boolean {
  if (scoped && events.length === 0) return true;
  return (limit !== null && events.length >= limit) || (toSeq !== null && (events.at(-1)?.seq ?? 0) >= toSeq);
}

function checkEnd(read: ReadOperation, { rows, rowOfSeq }: RunFacts, knownFrom: readonly number[], fail: Fail): void {
  const last = read.events.at(-1)?.seq ?? read.afterSeq;
  const lastRow = rowOfSeq.get(last);
  const next = last === 0 ? rows[0] : lastRow && rows[lastRow.index + 1];
  if (next === undefined || (read.toSeq !== null && next.event.runSeq > read.toSeq)) return;
  const { runSeq } = next.event;
  if (knownFrom[next.index]! < read.invoked)
    fail("read-is-a-prefix", runSeq, `stopped at seq ${last}, although seq ${runSeq} was stored before it started.`);
  if (read.events.length > 0 && lastRow?.writer && lastRow.writer.part === next.writer?.part)
    fail("call-is-atomic", runSeq, `saw seq ${last} without ${runSeq}, which the same call wrote.`);
}
