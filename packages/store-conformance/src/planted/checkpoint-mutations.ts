/** Faults in checkpoints, one per mutation. */
import type { Checkpoint } from "@runledger/contracts";
import type { Mutation } from "./mutant.js";

/** Keeps its own checkpoints and decides which to keep. */
const checkpointsThat = (keep: (kept: Checkpoint | undefined, given: Checkpoint) => boolean): Mutation => {
  const kept = new Map<string, Checkpoint>();
  return {
    append: async (next, events, options = {}) => {
      const { checkpoint } = options;
      const results = await next(events, options);
      if (checkpoint && keep(kept.get(checkpoint.runId), checkpoint)) kept.set(checkpoint.runId, checkpoint);
      return results;
    },
    store: () => ({ checkpoints: { loadCheckpoint: async (runId) => kept.get(runId) ?? null } }),
  };
};

export const checkpointMutations: Readonly<Record<string, () => Mutation>> = {
  "any checkpoint replaces": () => checkpointsThat(() => true),
  "the first checkpoint stays": () => checkpointsThat((kept) => kept === undefined),
  "checkpoints are cut at 64 KB": () => ({
    store: (real) => ({
      checkpoints: {
        loadCheckpoint: async (runId) => {
          const loaded = await real.checkpoints!.loadCheckpoint(runId);
          return loaded && { ...loaded, data: loaded.data.slice(0, 65_536) };
        },
      },
    }),
  }),
  "a missing checkpoint throws": () => ({
    store: (real) => ({
      checkpoints: {
        loadCheckpoint: async (runId) => {
          const loaded = await real.checkpoints!.loadCheckpoint(runId);
          if (loaded === null) throw new Error(`no checkpoint of ${runId}`);
          return loaded;
        },
      },
    }),
  }),
  "checkpoints are shared": () => {
    let last: Checkpoint | null = null;
    return {
      append: (next, events, options = {}) => {
        last = options.checkpoint ?? last;
        return next(events, options);
      },
      store: () => ({ checkpoints: { loadCheckpoint: async () => last } }),
    };
  },
};
