import * as fc from "fast-check";
import { appendAtOnceCommand, appendCommand, endCommand } from "./append-commands.js";
import { feedCommands } from "./feed-commands.js";
import { leaseCommands, storeCommands } from "./lease-commands.js";
import { projectionCommands } from "./projection-commands.js";
import { readCommands } from "./read-commands.js";
import { TwoStores, type Target } from "./two-stores.js";

const weighted = [
  ...Array.from({ length: 9 }, () => appendCommand),
  ...Array.from({ length: 3 }, () => appendAtOnceCommand),
  endCommand,
  ...readCommands,
  ...projectionCommands,
  ...leaseCommands,
  ...feedCommands,
  ...storeCommands,
];

export interface SequenceOptions {
  readonly sequences: number;
  readonly maxCommands: number;
  /** Reproduces a failure with the seed and the path that it printed. */
  readonly seed?: number;
  readonly path?: string;
}

/** Runs random sequences. Throws with the seed, the path and the shrunken sequence if the stores differ. */
export async function runSequences(target: Target, options: SequenceOptions): Promise<void> {
  const { sequences, maxCommands, ...again } = options;
  const property = fc.asyncProperty(fc.commands(weighted, { maxCommands, size: "max" }), async (commands) => {
    const stores = await TwoStores.open(target);
    await fc.asyncModelRun(() => ({ model: {}, real: stores }), commands);
    await stores.compareAll();
  });
  try {
    await fc.assert(property, { numRuns: sequences, ...again });
  } finally {
    await target.close();
  }
}
