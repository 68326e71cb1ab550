/** A virtual table: it renders only the visible rows. */
import type { RunSummary } from "@runledger/client";
import { useNavigate } from "@tanstack/react-router";
import { useVirtualizer } from "@tanstack/react-virtual";
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, type MouseEvent, type RefObject } from "react";
import { counted } from "../ui/format.js";
import { useIsPhone } from "../ui/breakpoints.js";
import { useNow } from "../ui/now.js";
import { isPlainClick } from "../ui/plain-link.js";
import { RunTableHead } from "./run-table-head.js";
import { RunTableRow } from "./run-table-row.js";
import { RunTableTail } from "./run-table-tail.js";
import type { SearchChange } from "./search.js";
import type { Selection } from "./selection.js";
import { useReading } from "./use-reading.js";
import { useMedianDurations } from "./median-durations.js";
import type { RunList } from "./use-run-rows.js";

interface RunTableProps {
  readonly list: RunList;
  readonly selection: Selection;
  /** Where the list is scrolled to: initially, and from then on. */
  readonly scrollTop: RefObject<number>;
  readonly onFilter: (part: SearchChange) => void;
}

const ROW_HEIGHT = 32;
/** Phones show each run on two lines. */
const NARROW_HEIGHT = 52;
const HEAD_HEIGHT = 30;
/** The next page is loaded when this many rows remain. */
const LOAD_AHEAD = 100;

export function RunTable({ list, selection, scrollTop, onFilter }: RunTableProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const now = useNow();
  const navigate = useNavigate();
  const rowHeight = useIsPhone() ? NARROW_HEIGHT : ROW_HEIGHT;
  const { rows } = list;
  const reading = useReading(list.setReading, selection.runIds.size > 0);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 8,
    scrollMargin: HEAD_HEIGHT,
    initialOffset: scrollTop.current,
    getItemKey: useCallback((index: number) => rows[index]!.run.runId, [rows]),
  });
  useEffect(() => virtual.measure(), [virtual, rowHeight]);
  useLayoutEffect(() => scroller.current?.scrollTo({ top: scrollTop.current }), [scrollTop]);
  const items = virtual.getVirtualItems();
  const last = items.at(-1)?.index ?? 0;
  useEffect(() => {
    if (list.hasMore && list.error === null && last >= rows.length - LOAD_AHEAD) list.loadMore();
  }, [list, last, rows.length]);
  const runs = useMemo(() => rows.map(({ run }) => run), [rows]);
  const medians = useMedianDurations(runs, workflowsOf(items.map(({ index }) => runs[index]!)));
  const open = (event: MouseEvent<HTMLElement>): void => {
    const link = event.target instanceof Element ? event.target.closest(".row-link") : null;
    const runId = link?.closest<HTMLElement>("[data-run]")?.dataset["run"];
    if (runId === undefined || !isPlainClick(event)) return;
    event.preventDefault();
    void navigate({ to: "/runs/$runId", params: { runId }, search: {} });
  };
  return (
    <div
      ref={scroller}
      className="run-scroll"
      {...reading}
      onScroll={(event) => {
        scrollTop.current = event.currentTarget.scrollTop;
        reading.onScroll(event);
      }}
    >
      <div role="table" aria-label="Runs" aria-rowcount={list.hasMore ? -1 : rows.length + 1}>
        <div role="rowgroup" className="run-table-head">
          <RunTableHead rows={rows} selection={selection} />
          {list.heldCount > 0 && (
            <button
              type="button"
              className="chip on new-runs"
              onClick={() => {
                list.release();
                scroller.current?.scrollTo({ top: 0 });
              }}
            >
              Show {counted(list.heldCount, "new run")}
            </button>
          )}
        </div>
        <div
          role="rowgroup"
          className="run-body"
          style={{ height: virtual.getTotalSize() }}
          onClick={open}
          onPointerEnter={preloadRunPage}
        >
          {items.map(({ index, key, start }) => (
            <RunTableRow
              key={key}
              row={rows[index]!}
              index={index}
              top={start - HEAD_HEIGHT}
              now={now}
              medianMs={medians.get(rows[index]!.run.planId ?? "")}
              isSelected={selection.isEverything || selection.runIds.has(rows[index]!.run.runId)}
              onSelect={selection.toggle}
              onFilter={onFilter}
            />
          ))}
        </div>
      </div>
      <RunTableTail list={list} />
    </div>
  );
}

/** Preloads the code of the run page, because the user is about to open one. */
function preloadRunPage(): void {
  void import("../run/run-page.js");
}

function workflowsOf(runs: readonly RunSummary[]): readonly string[] {
  return [...new Set(runs.flatMap(({ planId }) => planId ?? []))];
}
