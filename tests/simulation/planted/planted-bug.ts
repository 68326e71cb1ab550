import type { Around, StoreCall } from "@runledger/runtime/testing/intercept-store";
import type { Variant } from "../world/cluster.js";

/** A plausible bug that the simulation must find. */
export interface PlantedBug {
  readonly name: string;
  /** The invariants it breaks. The bug counts as found if one of them reports it. */
  readonly breaks: readonly string[];
  /** Creates the bug for one seed, because it may hold state. */
  readonly plant: () => Variant;
}

/** Wraps store calls to make them wrongly. */
export type Wrong = (call: StoreCall) => Promise<unknown>;

export function only(name: string, wrong: Wrong): Around {
  return (call) => (call.name === name ? wrong(call) : call.proceed());
}

/** Returns `true` on every n-th call. */
export function everyNth(n: number): () => boolean {
  let count = 0;
  return () => ++count % n === 0;
}
