import type * as fc from "fast-check";
import type { TwoStores } from "./two-stores.js";

/** The reference store is the model. fast-check needs an object to pass around. */
type Model = object;
export type Command = fc.AsyncCommand<Model, TwoStores>;

/** A step of a sequence. A failing sequence is printed by name. */
export function command(name: string, run: (stores: TwoStores) => Promise<unknown>): Command {
  return {
    check: () => true,
    run: async (_, stores) => void (await run(stores)),
    toString: () => name,
  };
}
