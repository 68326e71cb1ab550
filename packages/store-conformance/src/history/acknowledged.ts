import type { AppendResult } from "@runledger/contracts";
import type { AppendedEvent } from "./history.js";
import { nameOf, type Part, type RunFacts } from "./run-facts.js";
import type { Report } from "./violation.js";

/** The log contains every acknowledged event (P1, K5). */
export function checkAcknowledged(facts: RunFacts, report: Report): void {
  for (const part of facts.parts) {
    if (part.outcome.status !== "acknowledged") continue;
    const { results } = part.outcome;
    part.events.forEach((event, place) => checkResult({ facts, part, event, result: results[place] }, report));
  }
}

interface Acknowledgement {
  readonly facts: RunFacts;
  readonly part: Part;
  readonly event: AppendedEvent;
  readonly result: AppendResult | undefined;
}

function checkResult({ facts, part, event, result }: Acknowledgement, report: Report): void {
  const idempotencyKey = event.key;
  const operation = nameOf(part.call);
  const row = facts.rowOfKey.get(idempotencyKey);
  if (result === undefined) {
    const message = `${operation} was acknowledged without a result for one of its events.`;
    return report({ invariant: "acknowledged-in-log", idempotencyKey, operation, message });
  }
  const { runSeq: seq, idempotent } = result;
  if (row === undefined) {
    const message = `${operation} got the answer that its event is stored at seq ${seq}, but the log does not contain it: an acknowledged event was lost.`;
    return report({ invariant: "acknowledged-in-log", seq, idempotencyKey, operation, message });
  }
  const actual = row.event.runSeq;
  if (actual === seq) return;
  const invariant = idempotent ? "duplicate-keeps-its-seq" : "acknowledged-in-log";
  const what = idempotent ? "its duplicate's original stands" : "its event stands";
  const message = `${operation} got the answer that ${what} at seq ${seq}, but in the log it is ${actual}.`;
  report({ invariant, seq, idempotencyKey, operation, message });
}
