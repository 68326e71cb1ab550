import { RetryError } from "@runledger/contracts";
import { pause, type Timers } from "./engine-parts.js";

/** Between tries while the store is away. */
const RETRY_MS = 100;

/** A store that is away is not the step's fault: it is asked again, until whoever waits for it has given up. */
export async function insist<T>(timers: Timers, signal: AbortSignal, action: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await action();
    } catch (error) {
      if (!(error instanceof RetryError) || signal.aborted) throw error;
      await pause(timers, RETRY_MS);
    }
  }
}
