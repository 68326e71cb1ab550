/**
 * Maps errors of the driver and the server to our errors. They never include values and addresses, which may be secrets
 * (S1).
 */
import { omitUndefined, OutcomeUnknownError, RetryError, RunledgerError, StopError } from "@runledger/contracts";

/** A failed statement has the server's code and SQLSTATE. A request without a response has the driver's own code. */
interface DriverError {
  readonly code?: string | number;
  readonly sqlState?: string;
  readonly message?: string;
}

/**
 * A lock or a statement took too long or was cancelled, another transaction changed the same rows, or the warehouse is
 * full.
 */
const BUSY = new Set(["000604", "000606", "000625", "000630", "002044", "090064", "090073", "200001", "390503"]);
/**
 * The session has expired, was closed, or never existed. The last codes are the driver's, for a session that it
 * dropped.
 */
const SESSION_OVER = new Set([
  "390104",
  "390111",
  "390112",
  "390114",
  "390115",
  "405501",
  "405503",
  "407001",
  "407002",
]);
/** A row with this key exists. Only hybrid tables report it. */
const DUPLICATE_KEY = "200001";
const NOT_LOGGED_IN = new Set(["390100", "390144", "390303", "390318", "394300", "394304"]);

/**
 * Returns `true` if another writer created the same head at the same time: nothing is stored, and a retry finds the
 * head.
 */
export function wasRolledBack(error: unknown): boolean {
  return error instanceof RetryError && (error.cause as DriverError | undefined)?.code === DUPLICATE_KEY;
}

/** Maps an error after which nothing is stored. */
export function readError(error: unknown): RunledgerError {
  if (error instanceof RunledgerError) return error;
  const server = error as DriverError;
  const code = codeOf(server);
  if (BUSY.has(code))
    return new RetryError("STORE_BUSY", `Snowflake is busy: ${reasonOf(server)}. Try again.`, about(server));
  if (NOT_LOGGED_IN.has(code))
    return new StopError("STORE_FAULT", loginMessage(code), about({ code, message: "the login was refused" }));
  if (isUnanswered(server) || SESSION_OVER.has(code)) {
    const message = `Snowflake cannot be reached: ${reasonOf(server)}. Check the account and the network, then try again.`;
    return new RetryError("STORE_UNAVAILABLE", message, about(server));
  }
  return new StopError("STORE_FAULT", `Snowflake refused: ${reasonOf(server)} (code ${code}).`, about(server));
}

/**
 * Maps an error after the request with its COMMIT was sent. Unless the server itself reported it, the outcome is
 * unknown (P7).
 */
export function writeError(error: unknown): RunledgerError {
  if (error instanceof RunledgerError) return error;
  return isUnanswered(error as DriverError) ? new OutcomeUnknownError(about(error as DriverError)) : readError(error);
}

/** Returns `true` if the session must not be used again. */
export function isBroken(error: unknown): boolean {
  return isUnanswered(error as DriverError) || SESSION_OVER.has(codeOf(error as DriverError));
}

/** An error of the server has its SQLSTATE or one of its codes. A lost request has neither. */
function isUnanswered(error: DriverError): boolean {
  const code = codeOf(error);
  return error.sqlState === undefined && !SESSION_OVER.has(code) && !NOT_LOGGED_IN.has(code);
}

function codeOf({ code = "" }: DriverError): string {
  return String(code).padStart(6, "0");
}

function loginMessage(code: string): string {
  return `Snowflake did not accept the credentials (code ${code}). Check user, role and the password, key or token.`;
}

/** The first line, without anything that looks like a value. */
function reasonOf({ message = "no reason given" }: DriverError): string {
  return message
    .split("\n")[0]!
    .replaceAll(/'[^']*'|"[^"]*"|\S+:\/\/\S+/g, "…")
    .slice(0, 300);
}

function about(error: DriverError): { readonly cause: Error } {
  const { sqlState } = error;
  return {
    cause: Object.assign(new Error(reasonOf(error)), {
      code: codeOf(error),
      ...omitUndefined({ sqlState }),
    }),
  };
}
