/** A batch of appends: one transaction in one request, and the answer to each of its events. */
import { isDeepStrictEqual } from "node:util";
import {
  RunArchivedError,
  RunNotFoundError,
  SeqMismatchError,
  StaleLeaseError,
  StopError,
  type AppendResult,
  type RunledgerError,
} from "@runledger/contracts";
import type { RunAppend, RunOutcome, SendBatch } from "@runledger/core/store";
import { appendAnswer, appendCalls } from "./append-slow.js";
import type { Database, Row } from "./client.js";
import type { Shape } from "./connection-url.js";
import { tookItselfBack } from "./errors.js";

export function batchAppender(db: Database, shape: Shape): SendBatch {
  return async (parts) => toOutcomes(parts, await send(db, parts, shape));
}

/** Once more where another writer made the same head: nothing is stored, and the head is there by now. */
function send(db: Database, parts: readonly RunAppend[], shape: Shape): Promise<Row[]> {
  const once = (): Promise<Row[]> => db.transaction(appendCalls(parts, shape), appendAnswer);
  return once().catch((error: unknown) => {
    if (tookItselfBack(error)) return once();
    throw error;
  });
}

function toOutcomes(parts: readonly RunAppend[], rows: readonly Row[]): RunOutcome[] {
  const firstData = new Map<string, string>();
  let next = 0;
  return parts.map((part) => outcome(part, rows.slice(next, (next += part.events.length)), firstData));
}

function outcome(part: RunAppend, rows: readonly Row[], firstData: Map<string, string>): RunOutcome {
  const refused = rows.find(([, , refusal]) => refusal !== null);
  if (refused !== undefined) return refusalOf(part, refused);
  return part.events.map(({ event, dataJson }, index) => {
    const key = JSON.stringify([part.runId, event.idempotencyKey]);
    const earlier = firstData.get(key);
    firstData.set(key, earlier ?? dataJson);
    return result(rows[index]!, dataJson, earlier);
  });
}

/** K5: compared with what is stored, or with what the same batch stored before. */
function result(row: Row, dataJson: string, earlier: string | undefined): AppendResult {
  const [runSeq, isNew, , , , stored, isUnstored] = row as [
    number,
    boolean,
    unknown,
    unknown,
    unknown,
    string,
    boolean,
  ];
  if (isNew) return { runSeq, idempotent: false, persisted: true };
  const first = isUnstored ? earlier : (stored ?? "null");
  const conflict = first !== undefined && !isDeepStrictEqual(JSON.parse(first), JSON.parse(dataJson));
  return { runSeq, idempotent: true, persisted: false, ...(conflict ? { conflict } : {}) };
}

function refusalOf(part: RunAppend, row: Row): RunledgerError {
  const [, , refusal, headSeq, epoch] = row as [unknown, unknown, string, number, number];
  switch (refusal) {
    case "RUN_NOT_FOUND":
      return new RunNotFoundError(part.runId);
    case "RUN_ARCHIVED":
      return new RunArchivedError(part.runId);
    case "STALE_LEASE":
      return new StaleLeaseError(part.runId, part.fence, epoch);
    case "SEQ_MISMATCH":
      return new SeqMismatchError(part.runId, part.expectedSeq!, headSeq);
    default:
      return new StopError("STORE_FAULT", `The append refused with ${refusal}, which this version does not know.`);
  }
}
