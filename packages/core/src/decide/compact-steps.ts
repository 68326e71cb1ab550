import type { StepRange } from "@runledger/contracts";

/** Compacts a list of step ids (K4): consecutive items of a container become one range. */
export function compactSteps(stepIds: readonly string[]): StepRange[] {
  return rangesOf(stepIds).map((range) => {
    if (typeof range === "string" || range.from < range.to) return range;
    return `${range.container}/${range.from}/${range.step}`;
  });
}

function rangesOf(stepIds: readonly string[]): StepRange[] {
  const ranges: StepRange[] = [];
  const open = new Map<string, { container: string; from: number; to: number; step: string }>();
  for (const stepId of stepIds) {
    const item = itemOf(stepId);
    if (item === null) {
      ranges.push(stepId);
      continue;
    }
    const key = `${item.container}//${item.step}`;
    const range = open.get(key);
    if (range !== undefined && range.to + 1 === item.index) range.to++;
    else {
      const { container, index, step } = item;
      const next = { container, from: index, to: index, step };
      open.set(key, next);
      ranges.push(next);
    }
  }
  return ranges;
}

function itemOf(stepId: string): { container: string; index: number; step: string } | null {
  const match = /^(.+)\/(\d+)\/([^/]+)$/.exec(stepId);
  return match === null ? null : { container: match[1]!, index: Number(match[2]), step: match[3]! };
}
