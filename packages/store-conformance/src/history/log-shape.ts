import { idempotencyKey as hashOf, type CanonicalEngineEvent } from "@runledger/contracts";
import type { RunFacts } from "./run-facts.js";
import type { Report } from "./violation.js";

/** The final log on its own: numbered 1 to n, each key once and made from its event (P2, K1, K5). */
export function checkLogShape({ rows, rowOfKey }: RunFacts, contiguous: boolean, report: Report): void {
  let previous = 0;
  for (const { event, index } of rows) {
    const { runSeq: seq, idempotencyKey } = event;
    const inOrder = contiguous ? seq === previous + 1 : seq > previous;
    if (!inOrder) {
      const message = `the log goes from seq ${previous} to ${seq}; ${contiguous ? `${previous + 1} is missing or out of place` : "it must rise"}.`;
      report({ invariant: "seq-is-1-to-n", seq, message });
    }
    if (keyOf(event) !== idempotencyKey) {
      const message = `the key of seq ${seq} is not the one of its content: the event was changed after it was stored.`;
      report({ invariant: "key-matches-content", seq, idempotencyKey, message });
    }
    const first = rowOfKey.get(idempotencyKey)!;
    if (first.index !== index) {
      const message = `one key is stored twice, at seq ${first.event.runSeq} and ${seq}: the second append was a duplicate and had to be answered with ${first.event.runSeq}.`;
      report({ invariant: "one-row-per-key", seq, idempotencyKey, message });
    }
    previous = seq;
  }
}

function keyOf({ runId, stepId, logicalAttemptId = "", eventType, planVersion = "" }: CanonicalEngineEvent): string {
  return hashOf({ runId, stepId, logicalAttemptId, eventType, planVersion });
}
