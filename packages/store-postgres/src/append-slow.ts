/** Appends with a duplicate check, and reports why a run was refused. Calls the SQL function `append_slow`. */
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
import { checkpointArrays, conditionArrays, eventArrays } from "./append-columns.js";
import { numberArray, plainTextArray } from "./arrays.js";
import type { Row, Session, Statement } from "./client.js";
import { verdictArrays } from "./verdict-holds.js";

/** The types of the function's parameters, in order. Each parameter is an array. */
const types = (
  "text bigint bigint smallint text bigint integer text text integer uuid text text text text jsonb text text uuid " +
  "timestamptz text jsonb text text bigint text timestamptz"
).split(" ");

type Parameter = (index: number) => string;

const appendOf = (parameter: Parameter, name = "append_slow", parameters: readonly string[] = types): string => `
SELECT run_seq, idempotent, conflict, refusal, head_seq, lease_epoch
FROM runledger.${name}(${parameters.map((type, index) => `${parameter(index)}::${type}[]`).join(", ")})
ORDER BY ordinal`;

const placeholder: Parameter = (index) => `$${index + 1}`;
const statement: Statement = { name: "append_slow", limit: "append", text: appendOf(placeholder) };

const numbered: Statement = {
  name: "append_drawn",
  limit: "append",
  text: appendOf(placeholder, "append_drawn", [...types, "bigint"]),
};

const setting = (index: number): string => `'runledger.append_${index + 1}'`;

/** Keeps the values in settings of the transaction. An empty text stands for `null`: no array is empty text. */
const uploaded: Statement = {
  name: "append_upload",
  text: `SELECT ${types.map((_, i) => `length(set_config(${setting(i)}, coalesce($${i + 1}::text, ''), true))`).join(", ")}`,
};

const ofUploaded: Statement = {
  name: "append_uploaded",
  limit: "append",
  text: appendOf((index) => `nullif(current_setting(${setting(index)}), '')`),
};

/** Returns the statement that uploads an append before its transaction locks anything. */
export function uploadOf(parts: readonly RunAppend[]): { statement: Statement; values: readonly unknown[] } {
  return { statement: uploaded, values: values(parts) };
}

/** Appends what was uploaded in the same transaction. */
export async function appendUploaded(run: Session["run"], parts: readonly RunAppend[]): Promise<readonly RunOutcome[]> {
  return outcomes(parts, await run(ofUploaded));
}

export async function appendSlow(run: Session["run"], parts: readonly RunAppend[]): Promise<readonly RunOutcome[]> {
  return outcomes(parts, await run(statement, values(parts)));
}

/** Appends events whose numbers were drawn before (P10). `numbers` has one per event, `null` for one that needs none. */
export async function appendNumbered(
  run: Session["run"],
  parts: readonly RunAppend[],
  numbers: readonly (number | null)[],
): Promise<readonly RunOutcome[]> {
  return outcomes(parts, await run(numbered, [...values(parts), numberArray(numbers)]));
}

/** The refusal of a number that was settled, or that another event has. Callers get other numbers instead. */
const NUMBER_TAKEN = new StopError("STORE_FAULT", "A drawn number was taken. Append again.");

export function wasTaken(got: RunOutcome): boolean {
  return got === NUMBER_TAKEN;
}

function outcomes(parts: readonly RunAppend[], rows: readonly Row[]): readonly RunOutcome[] {
  let next = 0;
  return parts.map((part) => outcome(part, rows.slice(next, (next += part.events.length))));
}

function values(parts: readonly RunAppend[]): (string | null)[] {
  const { seqs, formats, data, checksums } = checkpointArrays(parts);
  return [
    plainTextArray(parts.map((part) => part.runId)),
    ...conditionArrays(parts, (part) => part.expectedSeq),
    seqs,
    formats,
    data,
    checksums,
    numberArray(parts.flatMap((part, index) => part.events.map(() => index + 1))),
    ...eventArrays(parts.flatMap((part) => part.events)),
    ...verdictArrays(parts),
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
      return new SeqMismatchError(part.runId, part.expectedSeq ?? part.judgedAt!.seq, headSeq);
    case "SIGNAL_LIMIT":
      return new SignalLimitError(part.runId, part.judgedAt!.notBefore!);
    case "NUMBER_TAKEN":
      return NUMBER_TAKEN;
    default:
      return new StopError(
        "STORE_FAULT",
        `The append function refused with ${refusal}, which this version does not know.`,
      );
  }
}
