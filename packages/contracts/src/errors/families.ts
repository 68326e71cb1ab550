import { errorCodes, type CodeOf, type ErrorCode, type ErrorFamily } from "./codes.js";

/**
 * Base class of every error that Runledger throws on purpose. `code` is stable; `family` tells the caller how to react.
 */
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

/** The same call may succeed later: retry it. */
export class RetryError extends RunledgerError {
  constructor(code: CodeOf<"retry">, message: string, options?: { readonly cause?: unknown }) {
    super(code, message, options);
  }
}

/** The same call will fail again: correct the value of `field`. Nothing was written. */
export class InputError extends RunledgerError {
  constructor(
    code: CodeOf<"fix-input">,
    /** Path of the wrong value: `events[2].eventData.rows[0]`. */
    readonly field: string,
    message: string,
  ) {
    super(code, `${field}: ${message}`);
  }
}

/** Neither retrying nor correcting the call helps: abandon it and read the message. */
export class StopError extends RunledgerError {
  constructor(code: CodeOf<"stop">, message: string, options?: { readonly cause?: unknown }) {
    super(code, message, options);
  }
}
