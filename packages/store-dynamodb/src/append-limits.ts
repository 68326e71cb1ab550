/** The limits of one call, so that it fits into a transaction of 100 items and 4 MB. */
import { InputError, type RunledgerError } from "@runledger/contracts";
import type { RunAppend } from "@runledger/core/store";

export const MAX_EVENTS = 40;
export const MAX_BYTES = 3_500_000;

/** Returns why a call is too large, or `null`. */
export function sizeRefusal({ events }: Pick<RunAppend, "events">): RunledgerError | null {
  if (events.length > MAX_EVENTS)
    return tooLarge(`are ${events.length} in one run. DynamoDB stores at most ${MAX_EVENTS} in one transaction.`);
  const bytes = bytesOf(events);
  if (bytes <= MAX_BYTES) return null;
  return tooLarge(`have ${bytes} bytes in one run. DynamoDB stores at most ${MAX_BYTES} in one transaction.`);
}

export function bytesOf(events: RunAppend["events"]): number {
  let bytes = 0;
  for (const { dataJson, refJson } of events) bytes += Buffer.byteLength(dataJson) + (refJson?.length ?? 0) + 500;
  return bytes;
}

function tooLarge(message: string): InputError {
  return new InputError("APPEND_TOO_LARGE", "events", `${message} Nothing was written. Split the call.`);
}
