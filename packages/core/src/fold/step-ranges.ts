import type { Json } from "@runledger/contracts";
import { isObject } from "./merge-patch.js";

/** The step ids that a compact list stands for (K4). What is not a range is passed over: readers are lenient (N3). */
export function* expandSteps(ranges: Json | undefined): Generator<string> {
  if (!Array.isArray(ranges)) return;
  for (const range of ranges as readonly Json[]) {
    if (typeof range === "string") yield range;
    else if (isObject(range)) yield* itemSteps(range);
  }
}

function* itemSteps(range: { readonly [key: string]: Json }): Generator<string> {
  const { container, from, to, step } = range;
  if (typeof container !== "string" || typeof step !== "string") return;
  if (typeof from !== "number" || typeof to !== "number") return;
  for (let index = from; index <= to; index++) yield `${container}/${index}/${step}`;
}
