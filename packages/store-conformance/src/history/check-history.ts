import { checkAcknowledged } from "./acknowledged.js";
import { checkCalls } from "./calls.js";
import { checkCheckpoints, type Replay } from "./checkpoints.js";
import { checkFences } from "./fences.js";
import type { History } from "./history.js";
import { checkLogShape } from "./log-shape.js";
import { checkPublished } from "./published.js";
import { checkReads } from "./reads.js";
import { checkRealTime } from "./real-time.js";
import { gatherFacts, type RunFacts } from "./run-facts.js";
import type { Report, Violation } from "./violation.js";
import { checkSignals } from "./signals.js";
import { checkWriters } from "./writers.js";

export interface CheckOptions {
  /** `false` if the store's numbers may have gaps (P10). Defaults to `true`. */
  readonly contiguous?: boolean;
  /** Resumes from a checkpoint. If it is absent, checkpoints are judged by their labels only. */
  readonly replay?: Replay;
  /** `true` if all signals were sent through a ledger, which judges them. A store alone accepts every event. */
  readonly signals?: boolean;
}

export interface HistoryVerdict {
  readonly ok: boolean;
  readonly violations: readonly Violation[];
}

/**
 * Compares what clients saw with the store's final content. Linear in operations and events: facts are collected per
 * run in one pass, then each invariant walks them once, in log order, without sorting or searching.
 */
export function checkHistory(history: History, options: CheckOptions = {}): HistoryVerdict {
  const violations: Violation[] = [];
  for (const facts of gatherFacts(history)) {
    checkRun(facts, options, (violation) => violations.push({ ...violation, runId: facts.runId }));
  }
  return { ok: violations.length === 0, violations };
}

function checkRun(facts: RunFacts, options: CheckOptions, report: Report): void {
  const { contiguous = true, replay, signals = false } = options;
  checkLogShape(facts, contiguous, report);
  checkAcknowledged(facts, report);
  checkWriters(facts, report); // first, because it determines the writers that the others need
  checkCalls(facts, contiguous, report);
  checkRealTime(facts, report);
  checkReads(facts, contiguous, report);
  checkFences(facts, report);
  checkPublished(facts, report);
  checkCheckpoints(facts, replay ?? null, report);
  if (signals) checkSignals(facts, report);
}
