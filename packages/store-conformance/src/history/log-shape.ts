import type { RunFacts } from "./run-facts.js";
import type { Report } from "./violation.js";

/** The final log by itself: numbered 1 to n, each key once (P2, K5). */
export function checkLogShape({ rows, rowOfKey }: RunFacts, contiguous: boolean, report: Report): void {
  let previous = 0;
  for (const { event, index } of rows) {
    const { runSeq: seq, idempotencyKey } = event;
    const inOrder = contiguous ? seq === previous + 1 : seq > previous;
    if (!inOrder) {
      const message = `the log goes from seq ${previous} to ${seq}; ${contiguous ? `${previous + 1} is missing or out of place` : "it must rise"}.`;
      report({ invariant: "seq-is-1-to-n", seq, message });
    }
    const first = rowOfKey.get(idempotencyKey)!;
    if (first.index !== index) {
      const message = `one key is stored twice, at seq ${first.event.runSeq} and ${seq}: the second append was a duplicate and had to be answered with ${first.event.runSeq}.`;
      report({ invariant: "one-row-per-key", seq, idempotencyKey, message });
    }
    previous = seq;
  }
}
