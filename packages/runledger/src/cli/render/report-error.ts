import { PlanError, RunledgerError, type ErrorFamily } from "@runledger/contracts";
import { exitCodes, type ExitCode } from "../exit-codes.js";
import { fileErrorLine } from "./file-error.js";
import { printError } from "./terminal.js";

const BY_FAMILY = {
  "fix-input": exitCodes.usage,
  stop: exitCodes.refused,
  retry: exitCodes.refused,
} as const satisfies Record<ErrorFamily, ExitCode>;

const UNREACHABLE = /^(STORE_UNAVAILABLE|STORE_BUSY|LOCK_UNAVAILABLE|OUTCOME_UNKNOWN|EMBEDDED_.*)$/;

/** Prints a line for each error, without stack traces. Returns the exit code. */
export function reportError(error: unknown, isJson = false): ExitCode {
  for (const line of errorLines(error)) printError(isJson ? errorJson(line) : `error ${line}`);
  return exitCodeOf(error);
}

function errorJson(line: string): string {
  const [code = "", ...rest] = line.split("  ");
  return JSON.stringify({ error: { code, message: rest.join("  ") } });
}

function exitCodeOf(error: unknown): ExitCode {
  if (!(error instanceof RunledgerError)) return fileErrorLine(error) === null ? exitCodes.fault : exitCodes.usage;
  if (error.code === "RUN_FAILED") return exitCodes.runFailed;
  if (error.code === "UNAUTHENTICATED") return exitCodes.refused; // the request was valid
  return UNREACHABLE.test(error.code) ? exitCodes.unreachable : BY_FAMILY[error.family];
}

export function errorLines(error: unknown): string[] {
  if (error instanceof PlanError) return error.problems.map((problem) => planLine(error.workflowId, problem));
  if (error instanceof RunledgerError) return [`${error.code}  ${oneLine(error.message)}`];
  if (process.env["RUNLEDGER_DEBUG"] === "1") return [String(error instanceof Error ? error.stack : error)];
  const aboutFile = fileErrorLine(error);
  if (aboutFile !== null) return [aboutFile];
  const message = oneLine(error instanceof Error ? error.message : String(error));
  return [`UNEXPECTED  ${message} (this is a bug in Runledger: please report it with the output of RUNLEDGER_DEBUG=1)`];
}

function planLine(workflowId: string, { code, step, message, origin }: PlanError["problems"][number]): string {
  const where = [origin, `workflow ${workflowId}`, step === "" ? undefined : `step ${step}`];
  return `${code}  ${where.filter((part) => part !== undefined).join(", ")}: ${oneLine(message)}`;
}

function oneLine(text: string): string {
  return text.replaceAll(/\s*\n\s*/g, " ").trim();
}
