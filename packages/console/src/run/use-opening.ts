import { useEffect, useRef } from "react";
import type { RunView } from "./model/view.js";
import { listOf, type RunSearch, type RunSearchChange } from "./search.js";

/**
 * Chooses what a page shows first. A link to a step opens the containers around it. A failed run opens at the step that
 * failed, unless the link selects something else.
 */
export function useOpening(
  runId: string,
  view: RunView | null,
  search: RunSearch,
  onChange: (part: RunSearchChange) => void,
): void {
  const opened = useRef<string | null>(null);
  useEffect(() => {
    if (view === null || view.header.runId !== runId || opened.current === runId) return;
    opened.current = runId;
    const isChosen = search.step !== undefined || search.event !== undefined || search.seq !== undefined;
    const step = isChosen || view.header.status !== "FAILED" ? search.step : view.header.culprit;
    if (step === undefined) return;
    const open = [...new Set([...listOf(search.open), ...containersOf(step)])].join(",");
    if (step !== search.step || open !== (search.open ?? "")) onChange({ step, open });
  }, [runId, view, search, onChange]);
}

/** `orders/7/check` is inside `orders` and `orders/7`. */
function containersOf(stepId: string): readonly string[] {
  const names = stepId.split("/");
  return names.slice(0, -1).map((_, index) => names.slice(0, index + 1).join("/"));
}
