/** Faults in starting a run, one per mutation. */
import type { RunQueue } from "@runledger/contracts";
import { overlay, type Mutation } from "./mutant.js";

const queue = (change: (real: RunQueue) => Partial<RunQueue>): Mutation => ({
  store: (real) => ({ queue: overlay(real.queue!, change(real.queue!)) }),
});

export const startMutations: Readonly<Record<string, () => Mutation>> = {
  "a fork keeps nothing": () => queue((real) => ({ startRun: ({ kept: _, ...start }) => real.startRun(start) })),
  "every request is a start": () => {
    let starts = 0;
    return queue((real) => ({ startRun: (start) => real.startRun({ ...start, startKey: `${starts++}` }) }));
  },
};
