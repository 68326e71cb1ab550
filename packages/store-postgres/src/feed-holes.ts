/** Ids that a follower has passed without seeing them, and the xid below which whoever drew them is. */
export interface Hole {
  readonly from: number;
  /** Inclusive. */
  readonly to: number;
  readonly xid: number;
}

/** What is left of a range when the ids that were seen are taken out; `seen` is ascending. */
export function holesIn<R extends { readonly from: number; readonly to: number }>(
  range: R,
  seen: readonly number[],
): R[] {
  const holes: R[] = [];
  let from = range.from;
  for (const id of seen) {
    if (id < from || id > range.to) continue;
    if (id > from) holes.push({ ...range, from, to: id - 1 });
    from = id + 1;
  }
  if (from <= range.to) holes.push({ ...range, from });
  return holes;
}
