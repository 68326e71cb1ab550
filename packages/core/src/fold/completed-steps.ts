import type { StepRow } from "@runledger/contracts";

/** First and last index of a stretch of passes, both inclusive. */
export type IndexRange = readonly [from: number, to: number];

/**
 * Steps inside passes of which nothing is to be remembered but that they succeeded, at once: by container and step,
 * as ranges of indexes. A hundred thousand of them are one range (C1).
 */
export class CompletedSteps {
  readonly #ranges: ReadonlyMap<string, readonly IndexRange[]>;

  /** By `container/#/step`; ranges ascend and do not touch. */
  constructor(ranges: ReadonlyMap<string, readonly IndexRange[]>) {
    this.#ranges = ranges;
  }

  get(stepId: string): StepRow | undefined {
    const place = passOf(stepId);
    if (place === null) return undefined;
    const ranges = this.#ranges.get(place.group);
    return ranges !== undefined && rangeAt(ranges, place.index) !== null ? completed(stepId) : undefined;
  }

  /** The end of the stretch of passes from `index` on in which all these steps succeeded; before `index` = there is none. */
  through(container: string, steps: readonly string[], index: number): number {
    const ends = steps.map((step) => rangeAt(this.#ranges.get(`${container}/#/${step}`) ?? [], index)?.[1] ?? -1);
    return Math.min(...ends);
  }

  /** Without these steps, which have something else to be remembered by now. */
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

  /** These and what was there before; nothing is changed in place. */
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
        for (let index = from; index <= to; index++) yield completed(group.replace(/#(?=\/[^/]*$)/, String(index)));
      }
    }
  }
}

/** `tables/3/analyze` is index 3 of the group `tables/#/analyze`; null = the step is in no pass. */
export function passOf(stepId: string): { readonly group: string; readonly index: number } | null {
  const names = stepId.split("/");
  const index = Number(names[names.length - 2]);
  if (names.length < 3 || !Number.isSafeInteger(index)) return null;
  return { group: [...names.slice(0, -2), "#", ...names.slice(-1)].join("/"), index };
}

function completed(stepId: string): StepRow {
  return { stepId, ordinal: 0, status: "SUCCESS", logicalAttemptId: "1", artifacts: [] };
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
