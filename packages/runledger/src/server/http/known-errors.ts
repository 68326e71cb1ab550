/** Whatever a request ran into, as an error of ours. */
import { InputError, RunledgerError, StopError } from "@runledger/contracts";

/** What Fastify finds wrong before a handler is called. */
const FROM_FASTIFY: Readonly<Record<string, (message: string) => RunledgerError>> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: () =>
    new InputError("MEDIA_TYPE_UNSUPPORTED", "content-type", "must be application/json."),
  FST_ERR_CTP_BODY_TOO_LARGE: () =>
    new InputError("PAYLOAD_TOO_LARGE", "body", "is larger than this route takes; store it as an artifact."),
};

/** Null = it is a fault, and the caller is not told what it says. */
function knownError(error: unknown): RunledgerError | null {
  if (error instanceof RunledgerError) return error;
  const {
    code = "",
    statusCode = 500,
    message = "",
  } = error as { code?: string; statusCode?: number; message?: string };
  const known = FROM_FASTIFY[code];
  if (known !== undefined) return known(message);
  if (statusCode < 400 || statusCode >= 500) return null;
  return new InputError("REQUEST_INVALID", "request", "cannot be read: its body is no JSON, or its address is broken.");
}

/** `isFault`: whoever runs the server should look at it. */
export function toKnown(error: unknown): { readonly error: RunledgerError; readonly isFault: boolean } {
  const known = knownError(error);
  if (known !== null) return { error: known, isFault: known.code === "STORE_FAULT" };
  const fault = new StopError(
    "SERVER_FAULT",
    "Something went wrong in the server; its log has more under this request id.",
  );
  return { error: fault, isFault: true };
}
