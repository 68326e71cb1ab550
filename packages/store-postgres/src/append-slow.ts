/** The append that looks for duplicates and can say why a run was refused: one call of migration 0002's function. */
import {
  RunArchivedError,
  RunNotFoundError,
  SeqMismatchError,
  StaleLeaseError,
  StopError,
  type AppendResult,
  type RunledgerError,
} from "@runledger/contracts";
import type { RunAppend, RunOutcome } from "@runledger/core/store";
import { checkpointArrays, conditionArrays, eventArrays } from "./append-columns.js";
import { numberArray, plainTextArray } from "./arrays.js";
import type { Row, Session, Statement } from "./client.js";

const statement: Statement = {
  name: "append_slow",
  text: `
SELECT run_seq, idempotent, conflict, refusal, head_seq, lease_epoch
FROM runledger.append_slow($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20,
  $21, $22, $23, $24)
ORDER BY ordinal`,
};

export async function appendSlow(run: Session["run"], parts: readonly RunAppend[]): Promise<readonly RunOutcome[]> {
  const rows = await run(statement, values(parts));
  let next = 0;
  return parts.map((part) => outcome(part, rows.slice(next, (next += part.events.length))));
}

function values(parts: readonly RunAppend[]): (string | null)[] {
  const { seqs, formats, data, checksums } = checkpointArrays(parts);
  return [
    plainTextArray(parts.map((part) => part.runId)),
    ...conditionArrays(parts),
    seqs,
    formats,
    data,
    checksums,
    numberArray(parts.flatMap((part, index) => part.events.map(() => index + 1))),
    ...eventArrays(parts.flatMap((part) => part.events)),
  ];
}

function outcome(part: RunAppend, rows: readonly Row[]): RunOutcome {
  const refused = rows.find(([, , , refusal]) => refusal !== null);
  return refused === undefined ? rows.map(result) : refusalOf(part, refused);
}

function result([runSeq, idempotent, conflict]: Row): AppendResult {
  const seen = idempotent as boolean;
  return { runSeq: runSeq as number, idempotent: seen, persisted: !seen, ...(conflict === true ? { conflict } : {}) };
}

function refusalOf(part: RunAppend, row: Row): RunledgerError {
  const [, , , refusal, headSeq, epoch] = row as [unknown, unknown, unknown, string, number, number];
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
      return new StopError(
        "STORE_FAULT",
        `The append function refused with ${refusal}, which this version does not know.`,
      );
  }
}
