import { useEffect, useState, type RefObject } from "react";
import type { RunsSearch } from "./search.js";
import { hasDrifted, rangeOf, type TimeRange } from "./time-range.js";

const CHECK_MS = 30_000;

/**
 * Keeps the range while the user reads the list, because a new range loads the list again. `first` is the range of a list
 * that the user came back to.
 */
export function useTimeRange(
  search: RunsSearch,
  first: TimeRange | undefined,
  isReading: RefObject<boolean>,
): TimeRange {
  const key = [search.from, search.to, search.range].join(" ");
  const [known, setKnown] = useState(() => ({ key, range: first ?? rangeOf(search, Date.now()) }));
  const current = known.key === key ? known : { key, range: rangeOf(search, Date.now()) };
  if (current !== known) setKnown(current);
  useEffect(() => {
    const timer = setInterval(() => {
      const now = Date.now();
      if (hasDrifted(search, current.range, now) && !isReading.current) setKnown({ key, range: rangeOf(search, now) });
    }, CHECK_MS);
    return () => clearInterval(timer);
  }, [current, search, key, isReading]);
  return current.range;
}
