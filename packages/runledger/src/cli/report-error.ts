import { PlanError, RunledgerError, type ErrorFamily } from "@runledger/contracts";
import { exitCodes, type ExitCode } from "./exit-codes.js";
import { complain } from "./terminal.js";

const BY_FAMILY = {
  "fix-input": exitCodes.usage,
  stop: exitCodes.refused,
  retry: exitCodes.refused,
} as const satisfies Record<ErrorFamily, ExitCode>;

const UNREACHABLE = /^(STORE_UNAVAILABLE|STORE_BUSY|OUTCOME_UNKNOWN|EMBEDDED_.*)$/;

/** Says what happened and what to do, a line for each fault and no stack trace, and gives the exit code. */
export function reportError(error: unknown): ExitCode {
  for (const line of errorLines(error)) complain(`error ${line}`);
  return exitCodeOf(error);
}

function exitCodeOf(error: unknown): ExitCode {
  if (!(error instanceof RunledgerError)) return exitCodes.fault;
  if (error.code === "RUN_FAILED") return exitCodes.runFailed;
  if (error.code === "UNAUTHENTICATED") return exitCodes.refused; // it was understood
  return UNREACHABLE.test(error.code) ? exitCodes.unreachable : BY_FAMILY[error.family];
}

export function errorLines(error: unknown): string[] {
  if (error instanceof PlanError) return error.problems.map((problem) => planLine(error.workflowId, problem));
  if (error instanceof RunledgerError) return [`${error.code}  ${oneLine(error.message)}`];
  if (process.env["RUNLEDGER_DEBUG"] === "1") return [String(error instanceof Error ? error.stack : error)];
  const message = oneLine(error instanceof Error ? error.message : String(error));
  return [`UNEXPECTED  ${message} (a fault of Runledger: RUNLEDGER_DEBUG=1 shows where; please report it)`];
}

function planLine(workflowId: string, { code, step, message, origin }: PlanError["problems"][number]): string {
  const where = [origin, `workflow ${workflowId}`, step === "" ? undefined : `step ${step}`];
  return `${code}  ${where.filter((part) => part !== undefined).join(", ")}: ${oneLine(message)}`;
}

function oneLine(text: string): string {
  return text.replaceAll(/\s*\n\s*/g, " ").trim();
}
