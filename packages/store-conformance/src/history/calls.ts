import { nameOf, type Part, type Row, type RunFacts } from "./run-facts.js";
import type { Report } from "./violation.js";

/** The events of one run in one call: all or none, adjacent, in call order (P1). */
export function checkCalls(facts: RunFacts, contiguous: boolean, report: Report): void {
  for (const part of facts.parts) {
    const written = writtenBy(part, facts);
    checkOrder(part, written, contiguous, report);
    if (part.outcome.status === "unknown") checkWhole(part, written, facts, report);
  }
}

/** Returns the rows that a call itself wrote to a run, in call order. */
export function writtenBy(part: Part, { rowOfKey }: RunFacts): Row[] {
  return part.events.flatMap((event, place) => {
    const row = rowOfKey.get(event.key);
    return row?.writer?.part === part && row.writer.place === place ? [row] : [];
  });
}

function checkOrder(part: Part, written: readonly Row[], contiguous: boolean, report: Report): void {
  const operation = nameOf(part.call);
  for (let place = 1; place < written.length; place++) {
    const [before, after] = [written[place - 1]!, written[place]!];
    const [from, seq] = [before.event.runSeq, after.event.runSeq];
    if (after.index < before.index) {
      const message = `${operation} wrote two events in one call; the later one stands at seq ${seq}, in front of the earlier one at ${from}.`;
      report({ invariant: "call-order", seq, operation, message });
    } else if (contiguous && after.index !== before.index + 1) {
      const message = `${operation} wrote seq ${from} and ${seq} in one call, but events of another call are between them.`;
      report({ invariant: "call-is-atomic", seq, operation, message });
    }
  }
}

/** The caller got no answer, so the log decides: if it has one event of the call, it has all of them. */
function checkWhole(part: Part, written: readonly Row[], { rowOfKey }: RunFacts, report: Report): void {
  if (written.length === 0) return;
  const missing = part.events.filter((event) => !rowOfKey.has(event.key));
  if (missing.length === 0) return;
  const operation = nameOf(part.call);
  const message = `${operation} got no answer; ${written.length} of its events are stored, ${missing.length} are not: the call was torn.`;
  report({ invariant: "call-is-atomic", idempotencyKey: missing[0]!.key, operation, message });
}
