import { RetryError, StopError } from "@runledger/contracts";
import { retryUntilAborted, type Retry } from "../time/retry.js";
import type { Timers } from "../time/timers.js";

/**
 * The store calls that user code triggers. An outage of the store is not a failure of the step: calls are repeated until
 * the store answers, the step is aborted or the worker loses the run (D5).
 */
export class StoreCalls {
  readonly #timers: Timers;
  readonly #signal: AbortSignal;
  #fault: Error | null = null;

  constructor(timers: Timers, signal: AbortSignal) {
    this.#timers = timers;
    this.#signal = signal;
  }

  readonly insist: Retry = async (action) => {
    try {
      return await retryUntilAborted(this.#timers, this.#signal, action);
    } catch (error) {
      if (error instanceof StopError || error instanceof RetryError) this.#fault ??= error;
      throw error;
    }
  };

  /**
   * Returns the error to record after user code has thrown. Throws the store's error if a call failed permanently, even if
   * user code wrapped it: the worker reports the error and tries the same attempt again later.
   */
  ownError(thrown: unknown): unknown {
    if (this.#signal.aborted) return this.#signal.reason;
    if (this.#fault !== null) throw this.#fault;
    return thrown;
  }
}
