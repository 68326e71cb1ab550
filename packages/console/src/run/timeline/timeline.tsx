/** A waterfall chart: a row per step, a bar per attempt. It renders only the visible rows. */
import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useRef, useState } from "react";
import { moveByArrow } from "../../ui/arrow-keys.js";
import { Empty } from "../../ui/states.js";
import type { RunView } from "../model/view.js";
import { listOf, zoomOf, type RunSearch, type RunSearchChange } from "../search.js";
import { Legend } from "./legend.js";
import { Overlay } from "./overlay.js";
import { TimeAxis } from "./time-axis.js";
import { TimelineRow } from "./timeline-row.js";

interface TimelineProps {
  readonly view: RunView;
  readonly search: RunSearch;
  readonly onChange: (part: RunSearchChange) => void;
  readonly onWindow: (window: { readonly from: number; readonly to: number }) => void;
}

const ROW_HEIGHT = 28;
const OVERSCAN = 10;

export function Timeline({ view, search, onChange, onWindow }: TimelineProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: view.rowCount,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: OVERSCAN,
  });
  const items = virtual.getVirtualItems();
  const first = items[0]?.index ?? 0;
  const last = items.at(-1)?.index ?? 0;
  useEffect(() => {
    const from = Math.max(0, first - OVERSCAN);
    onWindow({ from, to: Math.max(last + OVERSCAN, from + 60) });
  }, [first, last, onWindow]);
  const { selectedRow } = view;
  const isPlaced = selectedRow !== null;
  useEffect(() => {
    if (selectedRow !== null) virtual.scrollToIndex(selectedRow, { align: "auto" });
  }, [search.step, isPlaced]); // new rows above must not scroll what the user reads
  const [focused, setFocused] = useState<string | null>(null);
  const tabStop = [focused, search.step].find((one) => view.rows.some(({ stepId }) => stepId === one));
  const open = listOf(search.open);
  const toggle = (stepId: string): void => {
    const next = open.includes(stepId) ? open.filter((one) => one !== stepId) : [...open, stepId];
    onChange({ open: next.join(",") });
  };
  if (view.rowCount === 0) return <Empty title="No steps have started yet" />;
  return (
    <div className="timeline">
      <Overlay view={view} />
      <TimeAxis
        view={view}
        zoom={zoomOf(search.zoom)}
        onZoom={(zoom) => onChange({ zoom: zoom === null ? undefined : `${zoom.from}-${zoom.to}` })}
      />
      <div className="timeline-scroll" ref={scroller} onKeyDown={moveByArrow}>
        <div className="timeline-body" role="tree" aria-label="Steps" style={{ height: virtual.getTotalSize() }}>
          {items.map(({ index, start }) => {
            const row = view.rows[index - view.from];
            return row === undefined ? null : (
              <TimelineRow
                key={row.stepId}
                row={row}
                top={start}
                time={view.time}
                isSelected={row.stepId === search.step}
                isTabStop={row.stepId === (tabStop ?? view.rows[0]?.stepId)}
                onFocus={() => setFocused(row.stepId)}
                onSelect={() => onChange({ step: row.stepId, event: undefined })}
                onToggle={() => row.container?.canOpen === true && toggle(row.stepId)}
              />
            );
          })}
        </div>
      </div>
      <Legend />
    </div>
  );
}
