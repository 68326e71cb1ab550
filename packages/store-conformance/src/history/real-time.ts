import type { Row, RunFacts } from "./run-facts.js";
import type { Report } from "./violation.js";

/**
 * What was known to be stored before another append of the run was called has the lower seq. Walked in log order: an
 * event breaks it when one in front of it cannot have been written before this one was already known.
 */
export function checkRealTime({ rows }: RunFacts, report: Report): void {
  let latest: Row | undefined;
  for (const row of rows) {
    if (latest !== undefined && row.knownAt < latest.notBefore) {
      const { runSeq: seq } = row.event;
      const message = `seq ${seq} was known to be stored before the append of seq ${latest.event.runSeq} was called, and yet has the higher number.`;
      report({ invariant: "real-time-order", seq, message });
    }
    if (latest === undefined || row.notBefore > latest.notBefore) latest = row;
  }
}
