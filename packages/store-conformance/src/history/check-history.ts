import { checkAcknowledged } from "./acknowledged.js";
import { checkCalls } from "./calls.js";
import { checkCheckpoints, type Replay } from "./checkpoints.js";
import { checkFences } from "./fences.js";
import type { History } from "./history.js";
import { checkLogShape } from "./log-shape.js";
import { checkReads } from "./reads.js";
import { checkRealTime } from "./real-time.js";
import { gatherFacts, type RunFacts } from "./run-facts.js";
import type { Report, Violation } from "./violation.js";
import { checkWriters } from "./writers.js";

export interface CheckOptions {
  /** False = the store's numbers may have gaps (P10). Default true. */
  readonly contiguous?: boolean;
  /** How checkpoints are resumed from; without it they are judged by their labels alone. */
  readonly replay?: Replay;
}

export interface Verdict {
  readonly ok: boolean;
  readonly violations: readonly Violation[];
}

/**
 * Judges what clients saw by what the store holds in the end. Linear in operations and events: everything is gathered
 * per run in one pass, then each invariant walks it once, in log order; nothing is sorted or searched.
 */
export function checkHistory(history: History, options: CheckOptions = {}): Verdict {
  const violations: Violation[] = [];
  for (const facts of gatherFacts(history)) {
    checkRun(facts, options, (violation) => violations.push({ ...violation, runId: facts.runId }));
  }
  return { ok: violations.length === 0, violations };
}

function checkRun(facts: RunFacts, { contiguous = true, replay }: CheckOptions, report: Report): void {
  checkLogShape(facts, contiguous, report);
  checkAcknowledged(facts, report);
  checkWriters(facts, report); // first to say who wrote what; those below rely on it
  checkCalls(facts, contiguous, report);
  checkRealTime(facts, report);
  checkReads(facts, contiguous, report);
  checkFences(facts, report);
  checkCheckpoints(facts, replay ?? null, report);
}
