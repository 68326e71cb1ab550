/** Faults in the archive, one per mutation. */
import type { Archive, StateStore } from "@runledger/contracts";
import { overlay, type Mutation } from "./mutant.js";

const archive = (change: (real: Archive, store: StateStore) => Partial<Archive>): Mutation => ({
  store: (real) => ({ archive: overlay(real.archive!, change(real.archive!, real)) }),
});

export const archiveMutations: Readonly<Record<string, () => Mutation>> = {
  "nothing is archived": () =>
    archive((real, store) => ({
      archiveRun: async (runId) => {
        const [head] = await store.fetchHeads([runId]);
        return head === undefined ? real.archiveRun(runId) : { runId, archived: true, events: head.headSeq };
      },
    })),
  "everything is archived": () =>
    archive((real, store) => ({
      archiveRun: async (runId) => {
        await store.appendEvents([]);
        const outcome = await real.archiveRun(runId);
        return { runId, archived: true, events: "events" in outcome ? outcome.events : 0 };
      },
    })),
  "archiving twice is an error": () => {
    const done = new Set<string>();
    return archive((real) => ({
      archiveRun: async (runId) => {
        if (done.has(runId)) throw new Error(`${runId} is archived`);
        const outcome = await real.archiveRun(runId);
        if (outcome.archived) done.add(runId);
        return outcome;
      },
    }));
  },
  "followers do not hold the archive": () =>
    archive((real, store) => ({
      archiveRun: async (runId) => {
        await store.feed!.removeFollower("projector");
        return real.archiveRun(runId);
      },
    })),
  "archived runs are gone": () => ({
    log: (real) => {
      const there = async (runId: string): Promise<boolean> => (await real.fetchHeads([runId]))[0]?.archived !== true;
      return {
        fetchEvents: async (runId, options) => ((await there(runId)) ? real.fetchEvents(runId, options) : []),
        fetchByKeys: async (runId, keys) => ((await there(runId)) ? real.fetchByKeys(runId, keys) : []),
        streamEvents: async function* (runId, options) {
          if (await there(runId)) yield* real.streamEvents(runId, options);
        },
        listHeads: (options) => real.listHeads({ ...options, archived: true }),
      };
    },
  }),
  "an archived run is absent": () => ({
    append: async (next, events, options) =>
      next(events, options).catch((error: unknown) => {
        if ((error as { code?: string }).code === "RUN_ARCHIVED") return [];
        throw error;
      }),
  }),
};
