import type { Around, StoreCall } from "../../../packages/runledger/src/testing/intercept-store.js";
import type { Variant } from "../world/cluster.js";

/** A fault that somebody might make, and that the simulation must find. */
export interface PlantedBug {
  readonly name: string;
  /** The invariants that it breaks: found is what one of them finds. */
  readonly breaks: readonly string[];
  /** For one seed: a bug may remember things. */
  readonly plant: () => Variant;
}

/** A call that is made in another way than it should be. */
export type Wrong = (call: StoreCall) => Promise<unknown>;

export function only(name: string, wrong: Wrong): Around {
  return (call) => (call.name === name ? wrong(call) : call.proceed());
}

/** True for every n-th that it is asked for. */
export function everyNth(n: number): () => boolean {
  let count = 0;
  return () => ++count % n === 0;
}
