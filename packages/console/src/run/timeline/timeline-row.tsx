import { Link } from "@tanstack/react-router";
import { memo } from "react";
import { Icon } from "../../ui/icon.js";
import { useIsPhone } from "../../ui/breakpoints.js";
import { Status } from "../../ui/status.js";
import type { RunView, ViewRow } from "../model/view.js";
import { Bars } from "./bars.js";
import { noteStyle } from "./bar-style.js";
import { rowNote } from "./row-note.js";

interface TimelineRowProps {
  readonly row: ViewRow;
  readonly top: number;
  readonly time: RunView["time"];
  readonly isSelected: boolean;
  /** One row of the tree is reachable with the Tab key, the others with the arrow keys. */
  readonly isTabStop: boolean;
  readonly onFocus: () => void;
  readonly onSelect: () => void;
  readonly onToggle: () => void;
}

export const TimelineRow = memo(
  function TimelineRow({ row, top, time, isSelected, isTabStop, onFocus, onSelect, onToggle }: TimelineRowProps) {
    const note = rowNote(row, time.now);
    const isPhone = useIsPhone();
    return (
      <div
        className="timeline-row"
        role="treeitem"
        aria-level={row.depth + 1}
        aria-expanded={row.container?.isOpen}
        aria-selected={isSelected}
        tabIndex={isTabStop ? 0 : -1}
        data-row
        onFocus={onFocus}
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
              <Icon name={row.container.isOpen ? "down" : "right"} size={12} />
            </button>
          )}
          <Status of="step" status={row.status} iconOnly />
          <span className="cut" title={row.stepId}>
            {row.label}
          </span>
          {row.childRunId !== null && (
            <Link
              className="child-mark"
              to="/runs/$runId"
              params={{ runId: row.childRunId }}
              search={{}}
              tabIndex={-1}
              title={`Open the child run ${row.childRunId}`}
              aria-label={`Open the child run of ${row.label}`}
              onClick={(event) => event.stopPropagation()}
            >
              <Icon name="child" size={12} />
            </Link>
          )}
          {row.attempt !== null && row.attempt !== "1" && (
            <span className="badge" title={`Attempt ${row.attempt}`}>
              <span className="wide-only">attempt </span>
              {row.attempt}
            </span>
          )}
        </div>
        <div className="step-track">
          <div className="step-bars">
            <Bars row={row} time={time} />
          </div>
          <span className="step-note" title={note} style={noteStyle(row, note, time, isPhone)}>
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
    before.isTabStop === after.isTabStop &&
    before.time === after.time,
);
