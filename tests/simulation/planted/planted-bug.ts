import type { StoreCall, Around } from "../../../packages/runledger/src/testing/intercept-store.js";
import type { Variant } from "../world/cluster.js";

/** A fault that somebody might make, and that the simulation must find. */
export interface PlantedBug {
  readonly name: string;
  /** For one seed: a bug may remember things. */
  readonly plant: () => Variant;
}

/** A store that is wrong in one of its calls. */
export function inStore(name: string, calls: string, wrong: (call: StoreCall) => Promise<unknown>): PlantedBug {
  return { name, plant: () => ({ store: () => only(calls, wrong) }) };
}

export function only(calls: string, wrong: (call: StoreCall) => Promise<unknown>): Around {
  return (call) => (call.name === calls ? wrong(call) : call.proceed());
}
