/** Which of our errors an error of the driver or the server is. Values and addresses never come along: they may be secrets (S1). */
import { OutcomeUnknownError, RetryError, RunledgerError, StopError } from "@runledger/contracts";

/** Of a failed statement: the server's code and SQLSTATE. Of a request that was not answered: the driver's own code. */
interface DriverError {
  readonly code?: string | number;
  readonly sqlState?: string;
  readonly message?: string;
}

/** A lock or a statement took too long, or was cancelled; somebody else changed the same rows; the warehouse is full. */
const BUSY = new Set(["000604", "000606", "000625", "000630", "002044", "090064", "090073", "200001", "390503"]);
/** The session is over: expired, closed, or never there. The last ones are the driver's own, of one that it has given up. */
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
/** A row with this key is there: of a hybrid table only. */
const DUPLICATE_KEY = "200001";
const NOT_LOGGED_IN = new Set(["390100", "390144", "390303", "390318", "394300", "394304"]);

/** Another writer made the same head at the same moment: nothing is stored, and the next try finds it. */
export function tookItselfBack(error: unknown): boolean {
  return error instanceof RetryError && (error.cause as DriverError | undefined)?.code === DUPLICATE_KEY;
}

/** Nothing was stored, for certain. */
export function readError(error: unknown): RunledgerError {
  if (error instanceof RunledgerError) return error;
  const server = error as DriverError;
  const code = codeOf(server);
  if (BUSY.has(code))
    return new RetryError("STORE_BUSY", `Snowflake is busy: ${said(server)}. Try again.`, about(server));
  if (NOT_LOGGED_IN.has(code))
    return new StopError("STORE_FAULT", loginMessage(code), about({ code, message: "the login was refused" }));
  if (isUnanswered(server) || SESSION_OVER.has(code)) {
    const message = `Snowflake cannot be reached: ${said(server)}. Check the account and the network, then try again.`;
    return new RetryError("STORE_UNAVAILABLE", message, about(server));
  }
  return new StopError("STORE_FAULT", `Snowflake refused: ${said(server)} (code ${code}).`, about(server));
}

/** The request with its COMMIT was sent: unless the server itself said that it failed, nobody knows (P7). */
export function writeError(error: unknown): RunledgerError {
  if (error instanceof RunledgerError) return error;
  return isUnanswered(error as DriverError) ? new OutcomeUnknownError(about(error as DriverError)) : readError(error);
}

/** True = the session may not be used again. */
export function isBroken(error: unknown): boolean {
  return isUnanswered(error as DriverError) || SESSION_OVER.has(codeOf(error as DriverError));
}

/** What the server has said carries its SQLSTATE or one of its codes; a lost request has neither. */
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
function said({ message = "no reason given" }: DriverError): string {
  return message
    .split("\n")[0]!
    .replaceAll(/'[^']*'|"[^"]*"|\S+:\/\/\S+/g, "…")
    .slice(0, 300);
}

function about(error: DriverError): { readonly cause: Error } {
  const { sqlState } = error;
  return {
    cause: Object.assign(new Error(said(error)), {
      code: codeOf(error),
      ...(sqlState === undefined ? {} : { sqlState }),
    }),
  };
}
