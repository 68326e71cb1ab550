import { RunledgerError } from "@runledger/contracts";
import { FatalStepError, StepError } from "../../workflow/step-errors.js";

/**
 * Retryable errors: lost connections, serialization failures, deadlocks, insufficient resources, a server that shuts down
 * or starts up, lock and statement timeouts. All other errors are permanent.
 */
const RETRYABLE = /^(08|40|53|57P)|^(55P03|57014)$/;

/** Uses the SQLSTATE as code. Omits details, because they contain values that may be secret (S1). */
export function sqlError(error: unknown): unknown {
  if (error instanceof RunledgerError || error instanceof StepError || error instanceof FatalStepError) return error;
  const { code = "", message } = error as { code?: string; message: string };
  if (isSqlState(code)) return new StepError(code, message, { retryable: RETRYABLE.test(code) });
  return new StepError("SQL_UNREACHABLE", `The connection failed: ${message}`);
}

/** `true` for a SQLSTATE. Its codes contain a digit; `EPIPE` also has five letters but is the driver's. */
export function isSqlState(code: string): boolean {
  return /^(?=.*\d)[0-9A-Z]{5}$/.test(code);
}
