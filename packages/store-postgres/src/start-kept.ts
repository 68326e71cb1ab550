/** A fork begins with what it keeps: its start and those events commit together (Q1). */
import { RunledgerError, type RunStart } from "@runledger/contracts";
import { prepareCall } from "@runledger/core/store";
import { appendSlow } from "./append-slow.js";
import { firstOf, type Database, type Row, type Statement } from "./client.js";

/** Runs the start; its row names no run where there was nothing to start. Anything but a fork is one statement. */
export async function startWith(
  db: Database,
  start: Statement,
  values: readonly unknown[],
  { kept = [], tenantId }: RunStart,
): Promise<Row[]> {
  if (kept.length === 0) return db.write(start, values);
  const { runs } = prepareCall(kept, { expectedSeq: 1 }, { tenantId });
  return db.transaction(async (session) => {
    const rows = await session.run(start, values);
    const outcomes = firstOf(rows)[0] === null ? [] : await appendSlow(session.run, runs);
    for (const outcome of outcomes) if (outcome instanceof RunledgerError) throw outcome;
    return rows;
  });
}
