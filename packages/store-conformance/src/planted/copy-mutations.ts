/** Faults in copies, one per mutation. */
import type { Copies, RunCopy } from "@runledger/contracts";
import type { Mutation } from "./mutant.js";

const copies = (write: (real: Copies, given: readonly RunCopy[]) => Promise<void>): Mutation => ({
  store: (real) => ({ copies: { writeCopies: (given) => write(real.copies!, given) } }),
});

export const copyMutations: Readonly<Record<string, () => Mutation>> = {
  "a copy gets new times": () =>
    copies((real, given) =>
      real.writeCopies(
        given.map((copy) => ({
          ...copy,
          events: copy.events.map((event) => ({ ...event, persistedAt: new Date().toISOString() })),
        })),
      ),
    ),
  "copies are written one by one": () =>
    copies(async (real, given) => {
      for (const copy of given) await real.writeCopies([copy]);
    }),
  "errors of copies are ignored": () => copies((real, given) => real.writeCopies(given).catch(() => {})),
};
