/** Lists that the user left, by entry of the browser's history. Going back shows the same rows at the same place. */
import type { RunRows } from "./run-rows.js";
import type { RunsSearch } from "./search.js";
import type { TimeRange } from "./time-range.js";

export interface KeptList {
  readonly range: TimeRange;
  readonly rows: RunRows;
  /** The cursor of the next page. `null` if all pages were loaded. */
  readonly next: string | null;
  readonly scrollTop: number;
}

const MAX_KEPT = 10;
const lists = new Map<string, KeptList>();

export function keepList(entry: string, list: KeptList): void {
  lists.delete(entry);
  lists.set(entry, list);
  const [oldest] = lists.keys();
  if (lists.size > MAX_KEPT) lists.delete(oldest!);
}

export function keptList(entry: string): KeptList | undefined {
  return lists.get(entry);
}

let lastSearch: RunsSearch = {};

/** The filters of the list that was shown last. The link back to the list keeps them. */
export function lastRunsSearch(): RunsSearch {
  return lastSearch;
}

export function setLastRunsSearch(search: RunsSearch): void {
  lastSearch = search;
}
