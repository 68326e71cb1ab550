/** Turns any error of a request into a Runledger error. */
import { InputError, RetryError, RunledgerError, StopError } from "@runledger/contracts";

/** Errors that Fastify reports before it calls a handler. */
const BY_FASTIFY_CODE: Readonly<Record<string, RunledgerError>> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: new InputError("MEDIA_TYPE_UNSUPPORTED", "content-type", "must be application/json."),
  FST_ERR_CTP_BODY_TOO_LARGE: new InputError(
    "PAYLOAD_TOO_LARGE",
    "body",
    "exceeds the size limit of this route. Store large data as an artifact.",
  ),
};

const IN_LOG = "The server's log has details under this request id.";

/** Messages of these errors name statements, tables and addresses, which only the operator of the server may know. */
const STORE_ERRORS: Readonly<Record<string, RunledgerError>> = {
  STORE_FAULT: new StopError("STORE_FAULT", `The store refused a statement. ${IN_LOG}`),
  STORE_UNAVAILABLE: new RetryError("STORE_UNAVAILABLE", `The store cannot be reached. Try again later. ${IN_LOG}`),
  STORE_BUSY: new RetryError("STORE_BUSY", `The store is busy. Try again later. ${IN_LOG}`),
  ARTIFACTS_UNAVAILABLE: new RetryError(
    "ARTIFACTS_UNAVAILABLE",
    `The artifacts cannot be reached. Try again later. ${IN_LOG}`,
  ),
  LOCK_UNAVAILABLE: new RetryError(
    "LOCK_UNAVAILABLE",
    `The lock of the store cannot be used. Try again later. ${IN_LOG}`,
  ),
};

/** Returns the error as callers may see it. */
export function publicError(error: RunledgerError): RunledgerError {
  return STORE_ERRORS[error.code] ?? error;
}

export interface ClassifiedError {
  readonly error: RunledgerError;
  /** `true` if the operator of the server should look at the error. */
  readonly isFault: boolean;
  /** `true` if the caller does not see the original message. */
  readonly isHidden: boolean;
}

export function classifyError(thrown: unknown): ClassifiedError {
  const expected = expectedError(thrown);
  if (expected !== null) {
    const error = publicError(expected);
    return { error, isFault: expected.code === "STORE_FAULT", isHidden: error !== expected };
  }
  const fault = new StopError("SERVER_FAULT", `The server failed unexpectedly. ${IN_LOG}`);
  return { error: fault, isFault: true, isHidden: true };
}

/** `null` if the error is a fault of the server. Its message is then hidden from the caller. */
function expectedError(error: unknown): RunledgerError | null {
  if (error instanceof RunledgerError) return error;
  const { code = "", statusCode = 500 } = error as { code?: string; statusCode?: number };
  const fastifyError = BY_FASTIFY_CODE[code];
  if (fastifyError !== undefined) return fastifyError;
  if (statusCode < 400 || statusCode >= 500) return null;
  return new InputError("REQUEST_INVALID", "request", "cannot be read: its body is not JSON, or its URL is malformed.");
}
