import { errorCodes, type CodeOf, type ErrorCode, type ErrorFamily } from "./codes.js";

/** Every error that Runledger throws on purpose. `code` is stable; `family` says what to do. */
export abstract class RunledgerError extends Error {
  readonly family: ErrorFamily;

  constructor(
    readonly code: ErrorCode,
    message: string,
    options?: { readonly cause?: unknown },
  ) {
    super(message, options);
    this.name = new.target.name;
    this.family = errorCodes[code];
  }
}

/** The same call may succeed later: try it again. */
export class RetryError extends RunledgerError {
  constructor(code: CodeOf<"retry">, message: string, options?: { readonly cause?: unknown }) {
    super(code, message, options);
  }
}

/** The same call will fail again: change what `field` holds. Nothing was written. */
export class InputError extends RunledgerError {
  constructor(
    code: CodeOf<"fix-input">,
    /** Where the fault is, as a path: `events[2].eventData.rows[0]`. */
    readonly field: string,
    message: string,
  ) {
    super(code, `${field}: ${message}`);
  }
}

/** Neither repeating nor correcting the call helps: drop what led to it, and look at the message. */
export class StopError extends RunledgerError {
  constructor(code: CodeOf<"stop">, message: string, options?: { readonly cause?: unknown }) {
    super(code, message, options);
  }
}
