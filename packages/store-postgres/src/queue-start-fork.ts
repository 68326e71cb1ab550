/** Starts a fork together with the events that it keeps, in one transaction (Q1). */
import { RunledgerError, type RunStart } from "@runledger/contracts";
import { prepareCall } from "@runledger/core/store";
import { appendUploaded, uploadOf } from "./append-slow.js";
import { firstOf, type Database, type Row, type Session, type Statement } from "./client.js";

/** Runs the start. Its row names no run if there was nothing to start. Anything but a fork is one statement. */
export async function startWithKeptEvents(
  db: Database,
  start: Statement,
  values: readonly unknown[],
  { kept = [], tenantId }: RunStart,
): Promise<Row[]> {
  if (kept.length === 0) return db.write(start, values);
  const { runs } = prepareCall(kept, { expectedSeq: 1 }, { tenantId });
  const fork = async (session: Session): Promise<Row[]> => {
    const rows = await session.run(start, values);
    const outcomes = firstOf(rows)[0] === null ? [] : await appendUploaded(session.run, runs);
    for (const outcome of outcomes) if (outcome instanceof RunledgerError) throw outcome;
    return rows;
  };
  return db.transaction(fork, { patient: true, upload: uploadOf(runs) });
}
