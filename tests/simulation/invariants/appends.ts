import type { CanonicalEngineEvent } from "@runledger/contracts";
import type { RecordedHistory } from "@runledger/runtime/testing/recorded-history";

/** Identifies the append that wrote an event; equal for events of one append. */
export function appendsOf({ operations }: RecordedHistory): (event: CanonicalEngineEvent) => number {
  const writers = new Map<string, number>();
  for (const operation of operations) {
    if (operation.kind !== "append") continue;
    for (const { events, outcome } of operation.parts) {
      if (outcome.status !== "refused") for (const { eventId } of events) writers.set(eventId, operation.invoked);
    }
  }
  return ({ eventId }) => writers.get(eventId) ?? -1;
}
