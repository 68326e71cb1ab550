import type { StepRow } from "@runledger/contracts";

/** First and last index of consecutive passes, both inclusive. */
export type IndexRange = readonly [from: number, to: number];

/**
 * Steps inside passes, and passes of a repeat, that succeeded at the first attempt and need no row. They are stored by
 * container and step as ranges of indexes: a hundred thousand of them are one range (C1).
 */
export class CompletedSteps {
  readonly #ranges: ReadonlyMap<string, readonly IndexRange[]>;

  /** Keys are `container/#/step`, or `container/#` for passes. Ranges are ascending and not adjacent. */
  constructor(ranges: ReadonlyMap<string, readonly IndexRange[]>) {
    this.#ranges = ranges;
  }

  get(stepId: string): StepRow | undefined {
    const place = passOf(stepId);
    if (place === null) return undefined;
    const ranges = this.#ranges.get(place.group);
    return ranges !== undefined && rangeAt(ranges, place.index) !== null ? completed(stepId, place.group) : undefined;
  }

  /**
   * Returns the last consecutive pass from `index` on in which all these steps succeeded, or a smaller number than
   * `index` if there is none.
   */
  through(container: string, steps: readonly string[], index: number): number {
    const ends = steps.map((step) => rangeAt(this.#ranges.get(`${container}/#/${step}`) ?? [], index)?.[1] ?? -1);
    return Math.min(...ends);
  }

  /** Returns a copy without these steps, which now have a row each. */
  without(stepIds: readonly string[]): CompletedSteps {
    const ranges = new Map(this.#ranges);
    for (const stepId of stepIds) {
      const place = passOf(stepId);
      const known = place === null ? undefined : ranges.get(place.group);
      if (known !== undefined)
        ranges.set(
          place!.group,
          known.flatMap((range) => split(range, place!.index)),
        );
    }
    return new CompletedSteps(ranges);
  }

  /** Returns a copy with these steps added. */
  with(added: ReadonlyMap<string, readonly number[]>): CompletedSteps {
    const ranges = new Map(this.#ranges);
    for (const [group, indexes] of added) ranges.set(group, merged(ranges.get(group) ?? [], indexes));
    return new CompletedSteps(ranges);
  }

  groups(): readonly (readonly [group: string, ranges: readonly IndexRange[]])[] {
    return [...this.#ranges];
  }

  *rows(): Generator<StepRow> {
    for (const [group, ranges] of this.#ranges) {
      for (const [from, to] of ranges) {
        for (let index = from; index <= to; index++) yield completed(idIn(group, index), group);
      }
    }
  }
}

/**
 * `tables/3/analyze` is index 3 of the group `tables/#/analyze`, and the pass `poll/3` of the group `poll/#`. Returns
 * `null` if the step is in no pass.
 */
export function passOf(stepId: string): { readonly group: string; readonly index: number } | null {
  const names = stepId.split("/");
  const place = isPass(names, /^\d+$/) ? names.length - 1 : names.length - 2;
  const index = Number(names[place]);
  if (place < 1 || !Number.isSafeInteger(index)) return null;
  return { group: replaced(names, place, "#"), index };
}

function idIn(group: string, index: number): string {
  const names = group.split("/");
  return replaced(names, names.lastIndexOf("#"), String(index));
}

function replaced(names: readonly string[], place: number, by: string): string {
  return names.map((name, at) => (at === place ? by : name)).join("/");
}

/** Containers and indexes alternate, so the id of a pass has an even number of names. */
function isPass(names: readonly string[], last: RegExp): boolean {
  return names.length % 2 === 0 && last.test(names[names.length - 1]!);
}

/** A pass is compacted only if another one followed it. */
function completed(stepId: string, group: string): StepRow {
  const again = isPass(group.split("/"), /^#$/) ? { again: true } : {};
  return { stepId, ordinal: 0, status: "SUCCESS", logicalAttemptId: "1", artifacts: [], ...again };
}

function merged(ranges: readonly IndexRange[], indexes: readonly number[]): IndexRange[] {
  const all = [...ranges, ...indexes.map((index): IndexRange => [index, index])].sort(([a], [b]) => a - b);
  const result: [number, number][] = [];
  for (const [from, to] of all) {
    const last = result[result.length - 1];
    if (last !== undefined && from <= last[1] + 1) last[1] = Math.max(last[1], to);
    else result.push([from, to]);
  }
  return result;
}

function rangeAt(ranges: readonly IndexRange[], index: number): IndexRange | null {
  let [low, high] = [0, ranges.length - 1];
  while (low <= high) {
    const middle = (low + high) >> 1;
    const range = ranges[middle]!;
    if (index < range[0]) high = middle - 1;
    else if (index > range[1]) low = middle + 1;
    else return range;
  }
  return null;
}

function split([from, to]: IndexRange, at: number): IndexRange[] {
  const halves: IndexRange[] = [
    [from, Math.min(to, at - 1)],
    [Math.max(from, at + 1), to],
  ];
  return at < from || at > to ? [[from, to]] : halves.filter(([first, last]) => first <= last);
}
