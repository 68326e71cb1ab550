/** A dense table that draws only what is seen. */
import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useRef } from "react";
import { counted } from "../ui/format.js";
import { useNow } from "../ui/now.js";
import { RunTableRow } from "./run-table-row.js";
import type { SearchChange } from "./search.js";
import { usualDurations } from "./usual-durations.js";
import type { RunList } from "./use-run-rows.js";

interface RunTableProps {
  readonly list: RunList;
  readonly onFilter: (part: SearchChange) => void;
}

const ROW_HEIGHT = 36;
const HEAD_HEIGHT = 30;
/** Rows from the end at which the next page is asked for. */
const AHEAD = 30;

export function RunTable({ list, onFilter }: RunTableProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const now = useNow();
  const { rows } = list;
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: 8,
    scrollMargin: HEAD_HEIGHT,
    getItemKey: (index) => rows[index]!.run.runId,
  });
  const items = virtual.getVirtualItems();
  const last = items.at(-1)?.index ?? 0;
  useEffect(() => {
    if (list.hasMore && last >= rows.length - AHEAD) list.loadMore();
  }, [list, last, rows.length]);
  const usual = usualDurations(rows.map(({ run }) => run));
  return (
    <div
      ref={scroller}
      className="run-scroll"
      onScroll={({ currentTarget }) => list.setReading(currentTarget.scrollTop > 0)}
    >
      {list.heldCount > 0 && (
        <button
          type="button"
          className="chip on new-runs"
          onClick={() => {
            list.release();
            scroller.current?.scrollTo({ top: 0 });
          }}
        >
          {counted(list.heldCount, "new run")} above
        </button>
      )}
      <div role="table" aria-label="Runs" aria-rowcount={list.hasMore ? -1 : rows.length + 1}>
        <div role="rowgroup" className="run-table-head">
          <div className="run-row head" role="row">
            {COLUMNS.map(({ className, label }) => (
              <div key={className} role="columnheader" className={className}>
                {label}
              </div>
            ))}
          </div>
        </div>
        <div role="rowgroup" className="run-body" style={{ height: virtual.getTotalSize() }}>
          {items.map(({ index, key, start }) => (
            <RunTableRow
              key={key}
              row={rows[index]!}
              index={index}
              top={start - HEAD_HEIGHT}
              now={now}
              usualMs={usual.get(rows[index]!.run.planId ?? "")}
              onFilter={onFilter}
            />
          ))}
        </div>
      </div>
    </div>
  );
}

const COLUMNS = [
  { className: "c-status", label: "Status" },
  { className: "c-workflow", label: "Workflow" },
  { className: "c-started", label: "Created" },
  { className: "c-duration", label: "Duration" },
  { className: "c-trigger", label: "Trigger" },
  { className: "c-error", label: "Failure" },
  { className: "c-id", label: "Run" },
];
