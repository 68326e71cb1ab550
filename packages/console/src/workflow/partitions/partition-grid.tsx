/** Partitions as a grid of states. Tab focuses one cell; the arrow keys move from there, and select with Shift. */
import { useRef, useState, type KeyboardEvent } from "react";
import { Icon } from "../../ui/icon.js";
import { LOOKS, type Partition } from "./looks.js";
import { isSelected, moved, select, type Selection } from "./selection.js";

interface GridProps {
  readonly items: readonly Partition[];
  readonly selection: Selection;
  readonly onSelect: (selection: Selection) => void;
}

export function PartitionGrid({ items, selection, onSelect }: GridProps) {
  const list = useRef<HTMLDivElement>(null);
  const [active, setActive] = useState(items.length - 1);
  const focused = Math.min(active, items.length - 1);
  const choose = (place: number, extend: boolean): void => {
    setActive(place);
    onSelect(select(selection, place, extend));
  };
  const press = (event: KeyboardEvent): void => {
    if (event.key === " " || event.key === "Enter") {
      event.preventDefault();
      return choose(focused, event.shiftKey);
    }
    const to = moved(focused, event.key, { count: items.length, perLine: cellsPerLine(list.current) });
    if (to === null) return;
    event.preventDefault();
    setActive(to);
    if (event.shiftKey) onSelect(select(selection ?? { anchor: focused, to: focused }, to, true));
    cellAt(list.current, to)?.focus();
  };
  return (
    <div
      ref={list}
      className="partition-grid"
      role="listbox"
      aria-label="Partitions"
      aria-multiselectable
      onKeyDown={press}
    >
      {items.map(({ key, state }, place) => (
        <div
          key={key}
          role="option"
          className={`partition tone-${LOOKS[state].tone}`}
          aria-label={`${key}, ${LOOKS[state].word}`}
          aria-selected={isSelected(selection, place)}
          tabIndex={place === focused ? 0 : -1}
          data-partition={key}
          data-state={state}
          title={`${key}: ${LOOKS[state].word}`}
          onClick={({ shiftKey }) => choose(place, shiftKey)}
        >
          <Icon name={LOOKS[state].icon} />
          <span>{key}</span>
        </div>
      ))}
    </div>
  );
}

function cellAt(list: HTMLElement | null, place: number): HTMLElement | undefined {
  return list?.querySelectorAll<HTMLElement>("[data-partition]")[place];
}

/** The layout decides how many cells fit into a line. */
function cellsPerLine(list: HTMLElement | null): number {
  const cells = [...(list?.querySelectorAll<HTMLElement>("[data-partition]") ?? [])];
  const next = cells.findIndex(({ offsetTop }) => offsetTop > cells[0]!.offsetTop);
  return next === -1 ? Math.max(1, cells.length) : next;
}
