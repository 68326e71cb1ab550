/** The errors of a `dbt` step, and the class that an error message of dbt belongs to. */
import { errorCodes, type ErrorCode } from "@runledger/contracts";
import { StepError } from "@runledger/runtime/workflow/step-errors";

export type DbtCode = Extract<ErrorCode, `DBT_${string}`>;

/** Errors of the family `retry` are retried as the step's policy says; all others are not. */
export function dbtError(code: DbtCode, message: string): StepError {
  return new StepError(code, message, { retryable: isRetried(code) });
}

export function isRetried(code: DbtCode): boolean {
  return errorCodes[code] === "retry";
}

const DISK_FULL = /no space left on device|\[errno 28\]|disk (is )?full|could not write to file/i;

/** Messages of drivers and warehouses that stopped answering, or that refused a connection for a while. */
const LOST = [
  /connection (was )?(refused|reset|closed|lost|aborted|timed out|terminated)/i,
  /(could not|unable to|failed to) (connect|receive data from server)/i,
  /server closed the connection/i,
  /terminating connection/i,
  /connection (already|has been) closed/i,
  /(ssl|tls) (connection|syscall)/i,
  /broken pipe/i,
  /timeout expired/i,
  /too many (connections|clients)/i,
  /database system is (starting up|shutting down|in recovery)/i,
  /could not translate host name/i,
  /network is unreachable|no route to host/i,
  /deadlock detected|could not serialize access/i,
  /could not set lock on file/i,
];

/** Returns the code of an error message. `otherwise` applies if the message shows no other class. */
export function classify(message: string, otherwise: DbtCode): DbtCode {
  if (DISK_FULL.test(message)) return "DBT_DISK_FULL";
  return LOST.some((pattern) => pattern.test(message)) ? "DBT_CONNECTION_LOST" : otherwise;
}
