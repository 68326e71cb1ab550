/**
 * An authority that draws numbers before it stores the events, like per-run database sequences or a counter in Redis
 * (P10). Events become visible out of order, and a number whose holder is lost never appears.
 */
import type { RunAppend, RunOutcome } from "@runledger/core/store";
import { appendPart, needsNoNumbers } from "./append-events.js";
import { headOf, type Tables } from "./tables.js";

/** Called between drawing and storing: a test may let others go first, or never resolve. */
export type Hold = (drawn: { readonly runId: string; readonly numbers: readonly number[] }) => Promise<void> | void;

export async function appendDrawn(tables: Tables, part: RunAppend, hold: Hold): Promise<RunOutcome> {
  if (needsNoNumbers(tables, part)) return appendPart(tables, part); // an unused number would be a gap
  const numbers = draw(tables, part);
  await hold({ runId: part.runId, numbers });
  return appendPart(tables, part, numbers);
}

function draw(tables: Tables, { runId, events }: RunAppend): number[] {
  const run = tables.runs.get(runId);
  let last = Math.max(tables.drawn.get(runId) ?? 0, run === undefined ? 0 : headOf(run));
  const numbers = events.map(({ event }) => run?.seqByKey.get(event.idempotencyKey) ?? ++last);
  tables.drawn.set(runId, last);
  return numbers;
}

/** Writes to the head, so that a later append with one of these numbers finds it. */
export function settleSeq(tables: Tables, { runId, seq }: { readonly runId: string; readonly seq: number }): void {
  const run = tables.runs.get(runId);
  if (run !== undefined) run.settledSeq = Math.max(run.settledSeq, Math.min(seq, headOf(run)));
}
