import type { Row, RunFacts } from "./run-facts.js";
import type { Report } from "./violation.js";

/**
 * An event that was known to be stored before another append of the run was called has the lower seq. In log order, an
 * event violates this if an earlier one cannot have been written before this one was already known.
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
