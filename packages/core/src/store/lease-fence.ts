/**
 * Lease fencing (P4). The lease epoch of a run counts its owners. An owner's appends carry its epoch as a fence, and a store
 * refuses them after another worker has taken the run over. Stores that decide in SQL have the same condition in their own
 * `lease-fence.ts`.
 */
import { eventTypes, isSignal } from "@runledger/contracts";

const engineEvents: ReadonlySet<string> = new Set(
  eventTypes.filter((type) => !isSignal(type) && type !== "RunReopened"),
);

/** Returns `true` for events of an engine. A leased run accepts all others without a fence: signals, reopenings, unknown types. */
export function needsFence(eventType: string): boolean {
  return engineEvents.has(eventType);
}

/** Returns `true` if the store must refuse an append with `STALE_LEASE`. */
export function isFencedOff(
  append: { readonly fence: number | null; readonly needsFence: boolean },
  leaseEpoch: number,
): boolean {
  return append.fence === null ? append.needsFence && leaseEpoch > 0 : append.fence !== leaseEpoch;
}
