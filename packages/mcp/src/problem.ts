/** Turns errors into results with a stable code. Unknown errors reveal only their message. */
import { RunledgerError } from "@runledger/contracts";

export interface Problem {
  readonly error: {
    readonly code: string;
    /** The reaction that the error calls for: `retry`, `fix-input` or `stop`. */
    readonly family: string;
    readonly message: string;
  };
}

export function problemOf(error: unknown): Problem {
  if (error instanceof RunledgerError)
    return { error: { code: error.code, family: error.family, message: error.message } };
  const message = error instanceof Error ? error.message : String(error);
  return { error: { code: "UNEXPECTED", family: "stop", message } };
}
