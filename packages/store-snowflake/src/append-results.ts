/** Reads the results of a batch, event by event. Pure: a procedure inside Snowflake uses it too. */
import {
  RunArchivedError,
  RunNotFoundError,
  SeqMismatchError,
  SignalLimitError,
  StaleLeaseError,
  StopError,
  type AppendResult,
  type RunledgerError,
} from "@runledger/contracts";
import type { RunAppend, RunOutcome } from "@runledger/core/store";
import type { Row } from "./client.js";

export function toOutcomes(parts: readonly RunAppend[], rows: readonly Row[]): RunOutcome[] {
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

/** K5: compares the payload with the stored one, or with the one that the same batch stored before. */
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
  const conflict = first !== undefined && canonical(JSON.parse(first)) !== canonical(JSON.parse(dataJson));
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
      return new SeqMismatchError(part.runId, part.expectedSeq ?? part.judgedAt!.seq, headSeq);
    case "SIGNAL_LIMIT":
      return new SignalLimitError(part.runId, part.judgedAt!.notBefore!);
    default:
      return new StopError(
        "STORE_FAULT",
        `The append was refused with ${refusal}, which this version does not know. Upgrade @runledger/store-snowflake.`,
      );
  }
}

/** Equal values have equal text. */
function canonical(value: unknown): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([key, part]) => `${JSON.stringify(key)}:${canonical(part)}`).join(",")}}`;
}
