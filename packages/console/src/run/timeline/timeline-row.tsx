import { memo } from "react";
import { Glyph } from "../../ui/glyph.js";
import { useNarrow } from "../../ui/narrow.js";
import { Status } from "../../ui/status.js";
import type { RunView, ViewRow } from "../model/view.js";
import { Bars } from "./bars.js";
import { noteStyle } from "./place.js";
import { rowNote } from "./row-note.js";

interface TimelineRowProps {
  readonly row: ViewRow;
  readonly top: number;
  readonly time: RunView["time"];
  readonly isSelected: boolean;
  readonly onSelect: () => void;
  readonly onToggle: () => void;
}

export const TimelineRow = memo(
  function TimelineRow({ row, top, time, isSelected, onSelect, onToggle }: TimelineRowProps) {
    const note = rowNote(row, time.now);
    const isNarrow = useNarrow();
    return (
      <div
        className="timeline-row"
        role="treeitem"
        aria-level={row.depth + 1}
        aria-expanded={row.container?.isOpen}
        aria-selected={isSelected}
        tabIndex={0}
        data-row
        data-step={row.stepId}
        style={{ translate: `0 ${top}px` }}
        onClick={onSelect}
        onKeyDown={({ key, currentTarget, target }) => {
          if (target !== currentTarget) return;
          if (key === "Enter" || key === " ") onSelect();
          if (row.container?.isOpen === (key === "ArrowLeft") && /^Arrow(Left|Right)$/.test(key)) onToggle();
        }}
      >
        <div className="step-name" style={{ paddingLeft: 8 + row.depth * 14 }}>
          {row.container?.canOpen === true && (
            <button
              type="button"
              className="twist"
              tabIndex={-1}
              aria-label={`${row.container.isOpen ? "Close" : "Open"} ${row.label}`}
              onClick={(event) => {
                event.stopPropagation();
                onToggle();
              }}
            >
              <Glyph name={row.container.isOpen ? "down" : "right"} size={12} />
            </button>
          )}
          <Status of="step" status={row.status} iconOnly />
          <span className="cut" title={row.stepId}>
            {row.label}
          </span>
          {row.attempt !== null && row.attempt !== "1" && (
            <span className="badge" title={`attempt ${row.attempt}`}>
              <span className="wide-only">attempt </span>
              {row.attempt}
            </span>
          )}
        </div>
        <div className="step-track">
          <div className="step-bars">
            <Bars row={row} time={time} />
          </div>
          <span className="step-note" title={note} style={noteStyle(row, note, time, isNarrow)}>
            {note}
          </span>
        </div>
      </div>
    );
  },
  (before, after) =>
    before.row === after.row &&
    before.top === after.top &&
    before.isSelected === after.isSelected &&
    before.time === after.time,
);
