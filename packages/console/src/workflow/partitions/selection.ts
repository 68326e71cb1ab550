/** The partitions that the user has selected: places in the list, both inclusive. */
interface Range {
  /** The place where the selection started. */
  readonly anchor: number;
  /** The place where it ends. It may be before the anchor. */
  readonly to: number;
}

/** `null` selects nothing. */
export type Selection = Range | null;

/** Selects one partition, or extends the selection to it. Selecting the only selected one again clears the selection. */
export function select(before: Selection, place: number, extend: boolean): Selection {
  if (extend && before !== null) return { ...before, to: place };
  return before !== null && before.anchor === place && before.to === place ? null : { anchor: place, to: place };
}

export function isSelected(selection: Selection, place: number): boolean {
  if (selection === null) return false;
  const { anchor, to } = selection;
  return place >= Math.min(anchor, to) && place <= Math.max(anchor, to);
}

/** Returns the selected items, or all if nothing is selected. */
export function selected<T>(items: readonly T[], selection: Selection): readonly T[] {
  return selection === null ? items : items.filter((_, place) => isSelected(selection, place));
}

/** Returns the place that a key moves to, or `null`. `perLine` is the number of cells in a line. */
export function moved(place: number, key: string, { count, perLine }: { count: number; perLine: number }) {
  const by = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -perLine, ArrowDown: perLine }[key];
  const to = { Home: 0, End: count - 1 }[key] ?? (by === undefined ? null : place + by);
  return to === null || to < 0 || to >= count ? null : to;
}
