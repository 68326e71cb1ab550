import type { StepRange } from "@runledger/contracts";

/** Expands a compact list to step ids (K4). */
export function* expandSteps(ranges: readonly StepRange[]): Generator<string> {
  for (const range of ranges) {
    if (typeof range === "string") yield range;
    else for (let index = range.from; index <= range.to; index++) yield `${range.container}/${index}/${range.step}`;
  }
}
