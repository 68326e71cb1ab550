/** Lease fencing in SQL (P4): `isFencedOff` of `@runledger/core/store`, for the head `h` and the part `i`. Fence 0 means none. */
export const fencedOff = "h.LEASE_EPOCH <> i.FENCE AND (i.FENCE <> 0 OR i.NEEDS_FENCE)";
