/** Lease fencing in SQL (P4): `isFencedOff` of `@runledger/core/store`, for the fast append. `append_slow` has it too. */

/** The flag of an append whose events a leased run accepts without a fence. */
export const MAY_COME_UNFENCED = 2;

/** True if the head `h` accepts the row `EXCLUDED`, whose `lease_epoch` is the fence; 0 if the caller has none. */
export const fenceHolds = `(h.lease_epoch = EXCLUDED.lease_epoch
        OR (EXCLUDED.lease_epoch = 0 AND EXCLUDED.guard_flags & ${MAY_COME_UNFENCED} <> 0))`;
