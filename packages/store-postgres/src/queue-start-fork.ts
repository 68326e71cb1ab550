/** Starts a fork together with the events that it keeps, in one transaction (Q1). */
import {
  artifactIdOf,
  ArtifactExpiredError,
  readEventData,
  RunledgerError,
  RunNotFoundError,
  type RunStart,
} from "@runledger/contracts";
import { prepareCall } from "@runledger/core/store";
import { appendUploaded, uploadOf } from "./append-slow.js";
import { firstOf, type Database, type Row, type Session, type Statement } from "./client.js";

/** The lock makes a deletion of the origin wait until the fork is visible to it. */
const lockOrigin: Statement = {
  name: "queue_fork_origin",
  limit: "append",
  text: "SELECT run_id FROM runledger.run_heads WHERE run_id = $1 FOR KEY SHARE",
};

const refer: Statement = {
  name: "queue_fork_refer",
  limit: "append",
  text: "INSERT INTO runledger.run_forks (run_id, origin_id) VALUES ($1, $2) ON CONFLICT (run_id) DO NOTHING",
};

const expired: Statement = {
  name: "queue_fork_expired",
  text: "SELECT uri, expired_at FROM runledger.expired_artifacts WHERE artifact_id = ANY ($1::text[]) LIMIT 1",
};

/** Runs the start. Its row names no run if there was nothing to start. Anything but a fork is one statement. */
export async function startWithKeptEvents(
  db: Database,
  start: Statement,
  values: readonly unknown[],
  { kept = [], refersTo = [], tenantId, event }: RunStart,
): Promise<Row[]> {
  if (kept.length === 0) return db.write(start, values);
  const origin = readEventData("RunQueued", event.eventData).fork?.runId;
  const { runs } = prepareCall(kept, { expectedSeq: 1 }, { tenantId });
  const fork = async (session: Session): Promise<Row[]> => {
    if (origin !== undefined && (await session.run(lockOrigin, [origin])).length === 0)
      throw new RunNotFoundError(origin);
    const [gone] = refersTo.length === 0 ? [] : await session.run(expired, [refersTo.map(idOf)]);
    if (gone !== undefined) throw new ArtifactExpiredError(gone[0] as string, gone[1] as string);
    const rows = await session.run(start, values);
    if (firstOf(rows)[0] === null) return rows;
    if (origin !== undefined) await session.run(refer, [event.runId, origin]);
    const outcomes = await appendUploaded(session.run, runs);
    for (const outcome of outcomes) if (outcome instanceof RunledgerError) throw outcome;
    return rows;
  };
  return db.transaction(fork, { patient: true, upload: uploadOf(runs) });
}

const idOf = (uri: string): string => artifactIdOf(uri) ?? uri;
