/**
 * Determines the writers. An event was written by the call that got that answer. If no call did, a call with an unknown
 * outcome wrote it. `idempotent` and `conflict` must agree with that (K5), and a refused call must not be the only
 * candidate.
 */
import type { AppendResult } from "@runledger/contracts";
import { digestOf } from "./digest.js";
import { nameOf, type Mention, type Row, type RunFacts } from "./run-facts.js";
import type { Invariant, Report } from "./violation.js";

export function checkWriters({ rows, rowOfKey }: RunFacts, report: Report): void {
  for (const row of rows) {
    if (rowOfKey.get(row.event.idempotencyKey) !== row) continue; // a second row of one key; checkLogShape reports it
    attribute(row, report);
    checkAnswers(row, report);
  }
}

function attribute(row: Row, report: Report): void {
  const claims = row.mentions.filter((mention) => resultOf(mention)?.persisted === true);
  const candidates = claims.length > 0 ? claims : row.mentions.filter((mention) => mayHaveWritten(mention, row));
  if (claims.length > 1) report(about(row, "idempotent-is-decided", severalClaims(claims)));
  if (candidates.length === 0) report(nobodyWrote(row));
  if (candidates.length === 1) row.writer = candidates[0]!;
  if (claims.length > 0) row.writer = claims[0]!;
  for (const { part } of candidates) row.notBefore = earliest(row.notBefore, part.call.invoked);
}

const earliest = (a: number, b: number): number => (a === 0 ? b : Math.min(a, b));

function mayHaveWritten({ part, event }: Mention, row: Row): boolean {
  return part.outcome.status === "unknown" && event.eventId === row.event.eventId;
}

/** Compares the answers about one event with the log. */
function checkAnswers(row: Row, report: Report): void {
  const stored = digestOf(row.event.eventData);
  if (row.writer !== null && (row.writer.event.digest !== stored || row.writer.event.eventId !== row.event.eventId)) {
    const message = `seq ${row.event.runSeq} does not hold what ${nameOf(row.writer.part.call)} wrote there.`;
    report(about(row, "payload-kept", message));
  }
  if (row.knownAt < row.notBefore) {
    const message = `seq ${row.event.runSeq} was acknowledged or read before the call that wrote it started.`;
    report(about(row, "idempotent-is-decided", message));
  }
  for (const mention of row.mentions) {
    const result = resultOf(mention);
    if (result !== undefined) checkFlags({ row, mention, result, stored }, report);
  }
}

interface Answer {
  readonly row: Row;
  readonly mention: Mention;
  readonly result: AppendResult;
  /** The digest of the stored payload. */
  readonly stored: string;
}

function checkFlags({ row, mention, result, stored }: Answer, report: Report): void {
  const { idempotent, persisted, conflict = false } = result;
  const who = nameOf(mention.part.call);
  if (idempotent === persisted) {
    const message = `${who} got idempotent: ${idempotent} and persisted: ${persisted}; exactly one of them holds.`;
    report(about(row, "idempotent-is-decided", message));
  }
  const differs = idempotent && mention.event.digest !== stored;
  if (conflict !== differs) {
    const message = `${who} got conflict: ${conflict}, but its payload ${differs ? "differs from" : "is"} the stored one.`;
    report(about(row, "conflict-is-decided", message));
  }
}

function resultOf({ part, place }: Mention): AppendResult | undefined {
  return part.outcome.status === "acknowledged" ? part.outcome.results[place] : undefined;
}

function severalClaims(claims: readonly Mention[]): string {
  const names = claims.map(({ part }) => nameOf(part.call)).join(", ");
  return `${names} each got the answer that they stored this event (idempotent: false); only one of them did.`;
}

function nobodyWrote(row: Row): Parameters<Report>[0] {
  const told = row.mentions.find((mention) => resultOf(mention) !== undefined);
  if (told !== undefined) {
    const message = `every call that carried the event at seq ${row.event.runSeq} got idempotent: true, for example ${nameOf(told.part.call)}; no call stored it first.`;
    return about(row, "idempotent-is-decided", message);
  }
  const refused = row.mentions.find(({ part }) => part.outcome.status === "refused");
  if (refused === undefined) {
    const message = `seq ${row.event.runSeq} holds an event that no call carried.`;
    return about(row, "every-event-was-appended", message);
  }
  const message = `${nameOf(refused.part.call)} was refused, yet its event is in the log at seq ${row.event.runSeq}.`;
  return about(row, "refused-wrote-nothing", message);
}

function about(row: Row, invariant: Invariant, message: string): Parameters<Report>[0] {
  const { runSeq: seq, idempotencyKey } = row.event;
  return { invariant, seq, idempotencyKey, message };
}
