import { RetryError } from "./families.js";

/** The caller used more than its quota. Nothing was done. */
export class RateLimitError extends RetryError {
  constructor(
    message: string,
    /** Time after which the quota allows another call, in whole seconds. */
    readonly retryAfterMs: number,
  ) {
    super("RATE_LIMITED", message);
  }
}
