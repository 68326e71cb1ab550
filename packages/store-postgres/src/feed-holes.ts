/** Ids that a follower has passed without seeing them. The transactions that drew them have an xid below `xid`. */
export interface Hole {
  readonly from: number;
  /** Inclusive. */
  readonly to: number;
  readonly xid: number;
}

/** Returns the rest of a range without the ids that were seen. `seen` is ascending. */
export function holesIn<R extends { readonly from: number; readonly to: number }>(
  range: R,
  seen: readonly number[],
): R[] {
  const holes: R[] = [];
  let from = range.from;
  for (let at = firstFrom(seen, range.from); at < seen.length && seen[at]! <= range.to; at++) {
    const id = seen[at]!;
    if (id > from) holes.push({ ...range, from, to: id - 1 });
    from = id + 1;
  }
  if (from <= range.to) holes.push({ ...range, from });
  return holes;
}

/** The index of the first id that is at least `id`. There may be thousands of holes per page, so it is searched. */
function firstFrom(ids: readonly number[], id: number): number {
  let [low, high] = [0, ids.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (ids[middle]! < id) low = middle + 1;
    else high = middle;
  }
  return low;
}
