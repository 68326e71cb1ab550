/** A grid of links. Tab focuses one cell; the arrow keys move from there. */
import { useNavigate } from "@tanstack/react-router";
import { useVirtualizer } from "@tanstack/react-virtual";
import {
  useEffect,
  useRef,
  useState,
  type CSSProperties,
  type KeyboardEvent,
  type MouseEvent,
  type SyntheticEvent,
} from "react";
import { isPlainClick } from "../../ui/plain-link.js";
import { CellNote } from "./cell-note.js";
import { GridLine } from "./grid-line.js";
import type { Grid } from "./grid-model.js";
import { RunLine } from "./run-line.js";

const ROW_HEIGHT = 22;

/** Row 0 has the runs. */
export interface Place {
  readonly row: number;
  readonly column: number;
}

export function HistoryGrid({ grid }: { readonly grid: Grid }) {
  const scroller = useRef<HTMLDivElement>(null);
  const navigate = useNavigate();
  const [active, setActive] = useState<Place>({ row: 0, column: grid.runs.length - 1 });
  const [noted, setNoted] = useState<Place | null>(null);
  const virtual = useVirtualizer({
    count: grid.rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: 10,
  });
  useEffect(() => scroller.current?.scrollTo({ left: scroller.current.scrollWidth }), []); // the newest are on the right
  const move = (to: Place): void => {
    setActive(to);
    if (to.row > 0) virtual.scrollToIndex(to.row - 1);
    requestAnimationFrame(() => cellAt(scroller.current, to)?.focus());
  };
  const press = (event: KeyboardEvent): void => {
    const to = moved(active, event.key, grid);
    if (to === null) return;
    event.preventDefault();
    move(to);
  };
  const open = (event: MouseEvent): void => {
    const place = placeOf(event);
    if (place === null || !isPlainClick(event)) return;
    event.preventDefault();
    const { runId } = grid.runs[place.column]!;
    const step = grid.rows[place.row - 1]?.stepId;
    void navigate({ to: "/runs/$runId", params: { runId }, search: step === undefined ? {} : { step } });
  };
  const note = (event: SyntheticEvent): void => setNoted(placeOf(event));
  return (
    <>
      <div
        ref={scroller}
        className="history-scroll"
        style={{ "--columns": grid.runs.length } as CSSProperties}
        role="grid"
        aria-label="Runs by steps"
        aria-rowcount={grid.rows.length + 1}
        aria-colcount={grid.runs.length + 1}
        onKeyDown={press}
        onClick={open}
        onPointerOver={note}
        onPointerLeave={() => setNoted(null)}
        onFocus={(event) => {
          note(event);
          setActive(placeOf(event) ?? active);
        }}
        onBlur={() => setNoted(null)}
      >
        <RunLine grid={grid} activeColumn={active.row === 0 ? active.column : null} />
        <div role="rowgroup" className="history-body" style={{ height: virtual.getTotalSize() }}>
          {virtual.getVirtualItems().map(({ index, start }) => (
            <GridLine
              key={grid.rows[index]!.stepId}
              row={grid.rows[index]!}
              index={index + 1}
              runs={grid.runs}
              top={start}
              activeColumn={active.row === index + 1 ? active.column : null}
            />
          ))}
        </div>
      </div>
      <CellNote grid={grid} place={noted} />
    </>
  );
}

function placeOf({ target }: { readonly target: EventTarget }): Place | null {
  const cell = target instanceof Element ? target.closest<HTMLElement>("[data-cell]") : null;
  const [row, column] = cell?.dataset["cell"]?.split(":").map(Number) ?? [];
  return row === undefined || column === undefined ? null : { row, column };
}

function cellAt(grid: HTMLElement | null, { row, column }: Place): HTMLElement | null {
  return grid?.querySelector<HTMLElement>(`[data-cell="${row}:${column}"]`) ?? null;
}

/** Returns the cell that a key moves to, or `null`. Skips cells of steps that a run does not have. */
function moved({ row, column }: Place, key: string, { runs, rows }: Grid): Place | null {
  const by = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] }[key];
  if (by === undefined) return null;
  for (
    let to = { row: row + by[0]!, column: column + by[1]! };
    ;
    to = { row: to.row + by[0]!, column: to.column + by[1]! }
  ) {
    if (to.row < 0 || to.row > rows.length || to.column < 0 || to.column >= runs.length) return null;
    if (to.row === 0 || rows[to.row - 1]!.cells[to.column] !== null) return to;
  }
}
