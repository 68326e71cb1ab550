/** Which of our errors an error of the driver or the server is. Values never come along: they may be secrets (S1). */
import { OutcomeUnknownError, RetryError, RunledgerError, StopError } from "@runledger/contracts";

interface ServerError {
  readonly code?: string;
  readonly message?: string;
  readonly severity?: string;
  readonly constraint?: string;
}

/** The fast append met a repeated key (unique index), or a run that is not there (NOT NULL): nothing of it is stored. */
export function tookItselfBack(error: unknown): boolean {
  const code = error instanceof StopError ? (error.cause as ServerError | undefined)?.code : undefined;
  return code === "23505" || code === "23502";
}

/** Nothing was stored, for certain. */
export function readError(error: unknown): RunledgerError {
  if (error instanceof RunledgerError) return error;
  const server = error as ServerError;
  if (isBusy(server))
    return new RetryError("STORE_BUSY", `PostgreSQL is busy: ${server.message}. Try again.`, about(server));
  if (isConnection(server)) {
    const message = `PostgreSQL cannot be reached: ${server.message}. Check the address, then try again.`;
    return new RetryError("STORE_UNAVAILABLE", message, about(server));
  }
  return new StopError(
    "STORE_FAULT",
    `PostgreSQL refused: ${server.message} (SQLSTATE ${server.code}).`,
    about(server),
  );
}

/** The statement was sent: unless the server itself said that it failed, nobody knows (P7). */
export function writeError(error: unknown): RunledgerError {
  if (error instanceof RunledgerError) return error;
  const server = error as ServerError;
  return isConnection(server) ? new OutcomeUnknownError(about(server)) : readError(error);
}

/** Deadlock, serialization, lock and statement timeouts, too many connections, out of disk or memory, a full pool. */
function isBusy({ code = "", message = "" }: ServerError): boolean {
  if (/^(40|53)/.test(code) || code === "55P03" || code === "57014") return true;
  return message.includes("timeout exceeded when trying to connect");
}

/** The server's word. Every class has a digit in its codes; `EPIPE` is the driver's, of five letters as well. */
export function isSqlState(code: string): boolean {
  return /^(?=.*\d)[0-9A-Z]{5}$/.test(code);
}

/** No SQLSTATE at all, or one that says that the session ended, was idle for too long, could not begin, or met a standby. */
function isConnection({ code = "" }: ServerError): boolean {
  if (!isSqlState(code)) return true;
  return /^(08|57P)/.test(code) || code === "25006" || code === "25P03";
}

function about({ code, message, constraint }: ServerError): { readonly cause: Error } {
  const cause = new Error(message);
  return { cause: Object.assign(cause, { code, ...(constraint === undefined ? {} : { constraint }) }) };
}
