/** The ways in which a secret cannot be resolved. None of them contains a value. */
import { InputError, RetryError } from "@runledger/contracts";

/** The provider has no such secret. The next provider of a chain is called. */
export function notFound(name: string, message: string): InputError {
  return new InputError("SECRET_NOT_FOUND", `secret ${name}`, message);
}

/** The run may not use the secret. The worker records the attempt in the audit log. */
export function forbidden(name: string, message: string): InputError {
  return new InputError("SECRET_FORBIDDEN", `secret ${name}`, message);
}

/** The provider is set up wrongly, or its service refuses this worker. */
export function misconfigured(source: string, message: string): InputError {
  return new InputError("SECRET_SOURCE_INVALID", source, message);
}

/** The provider's service does not answer. The step waits, and its attempt is not used up. */
export function unavailable(source: string, cause: unknown): RetryError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new RetryError("SECRETS_UNAVAILABLE", `${source} does not answer (${reason}). The step waits for it.`, {
    cause,
  });
}

export function isNotFound(error: unknown): boolean {
  return error instanceof InputError && error.code === "SECRET_NOT_FOUND";
}
