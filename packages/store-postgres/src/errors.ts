/** Maps errors of the driver and the server to our errors. They never include values, which may be secrets (S1). */
import { omitUndefined, OutcomeUnknownError, RetryError, RunledgerError, StopError } from "@runledger/contracts";

interface ServerError {
  readonly code?: string;
  readonly message?: string;
  readonly severity?: string;
  readonly constraint?: string;
}

/**
 * Returns `true` if the fast append was rolled back: by a repeated key (unique index) or a missing run (NOT NULL).
 * Nothing of it is stored.
 */
export function wasRolledBack(error: unknown): boolean {
  const code = error instanceof StopError ? (error.cause as ServerError | undefined)?.code : undefined;
  return code === "23505" || code === "23502";
}

/** Maps an error of a connection that could not be made. Nothing was sent. */
export function connectError(error: unknown): RunledgerError {
  const server = error as ServerError;
  return isFullPool(server) ? busy(server) : readError(error, false);
}

function busy(server: ServerError): RunledgerError {
  return new RetryError("STORE_BUSY", `PostgreSQL is busy: ${server.message}. Try again.`, about(server));
}

/** Maps an error after which nothing is stored. `sessionEnded` is `true` if the connection ended with it. */
export function readError(error: unknown, sessionEnded: boolean): RunledgerError {
  if (error instanceof RunledgerError) return error;
  const server = error as ServerError;
  if (isReadOnlyError(server)) return readOnlyError(about(server));
  if (sessionEnded || isConnection(server)) {
    const message = `PostgreSQL cannot be reached: ${server.message}. Check the address, then try again.`;
    return new RetryError("STORE_UNAVAILABLE", message, about(server));
  }
  if (isBusy(server)) return busy(server);
  return new StopError(
    "STORE_FAULT",
    `PostgreSQL refused: ${server.message} (SQLSTATE ${server.code}).`,
    about(server),
  );
}

/**
 * Maps an error after a statement was sent. Its outcome is unknown if the session ended with the error (P7): a server
 * that reports FATAL or PANIC may have committed before.
 */
export function writeError(error: unknown, sessionEnded: boolean): RunledgerError {
  if (error instanceof RunledgerError) return error;
  const server = error as ServerError;
  if (isReadOnlyError(server)) return readOnlyError(about(server));
  return sessionEnded || isConnection(server) ? new OutcomeUnknownError(about(server)) : readError(error, false);
}

/** The server is a standby, or its transactions are read-only by default. It refuses a write before it starts. */
export function readOnlyError(options?: { readonly cause: Error }): RunledgerError {
  const message =
    "PostgreSQL is read-only: a standby, or default_transaction_read_only is on. Nothing was written. " +
    "Let the address lead to the primary, then try again.";
  return new RetryError("STORE_UNAVAILABLE", message, options);
}

export function isReadOnlyError(error: unknown): boolean {
  return (error as ServerError).code === "25006";
}

/** Deadlock, serialization, lock and statement timeouts, too many connections, out of disk or memory. */
function isBusy({ code = "" }: ServerError): boolean {
  return /^(40|53)/.test(code) || code === "55P03" || code === "57014";
}

/** A caller waited too long for a free connection of the pool. */
function isFullPool({ message = "" }: ServerError): boolean {
  return message.includes("timeout exceeded when trying to connect");
}

/**
 * Returns `true` for a code of the server. Every class has a digit in its codes; the driver's `EPIPE` has five letters
 * too.
 */
export function isSqlState(code: string): boolean {
  return /^(?=.*\d)[0-9A-Z]{5}$/.test(code);
}

/** No SQLSTATE, or one that means: the session ended, was idle too long, or could not start. */
function isConnection({ code = "" }: ServerError): boolean {
  if (!isSqlState(code)) return true;
  return /^(08|57P)/.test(code) || code === "25P03";
}

function about({ code, message, constraint }: ServerError): { readonly cause: Error } {
  const cause = new Error(message);
  return { cause: Object.assign(cause, { code, ...omitUndefined({ constraint }) }) };
}
