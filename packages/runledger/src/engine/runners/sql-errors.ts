import { RunledgerError } from "@runledger/contracts";
import { FatalStepError, StepError } from "../step-errors.js";

/**
 * Lost connections, serialization failures and deadlocks, too little of something, a server that goes down or is not
 * up yet, locks and time that ran out: the same statement may succeed later. All else is the statement's fault.
 */
const RETRYABLE = /^(08|40|53|57P)|^(55P03|57014)$/;

/** SQLSTATE as code. Details never come along: they show values, which may be secrets (S1). */
export function sqlError(error: unknown): unknown {
  if (error instanceof RunledgerError || error instanceof StepError || error instanceof FatalStepError) return error;
  const { code = "", message } = error as { code?: string; message: string };
  if (isSqlState(code)) return new StepError(code, message, { retryable: RETRYABLE.test(code) });
  return new StepError("SQL_UNREACHABLE", `The connection failed: ${message}`);
}

/** The server's word. Every class has a digit in its codes; `EPIPE` is the driver's, of five letters as well. */
export function isSqlState(code: string): boolean {
  return /^(?=.*\d)[0-9A-Z]{5}$/.test(code);
}
