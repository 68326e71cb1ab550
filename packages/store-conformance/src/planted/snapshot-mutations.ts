/** Faults in projections, one per mutation. */
import type { SnapshotStore } from "@runledger/contracts";
import { overlay, type Mutation } from "./mutant.js";

const snapshots = (change: (real: SnapshotStore) => Partial<SnapshotStore>): Mutation => ({
  store: (real) => ({ snapshots: overlay(real.snapshots, change(real.snapshots)) }),
});

export const snapshotMutations: Readonly<Record<string, () => Mutation>> = {
  "snapshots are always fresh": () => ({
    log: (real) => ({ getSnapshot: (runId) => real.projectSnapshot(runId).catch(() => null) }),
  }),
  "a missing run projects to an empty one": () => ({
    log: (real) => ({
      projectSnapshot: (runId) => real.projectSnapshot(runId).catch(() => ({ runId, steps: [] }) as never),
    }),
  }),
  "the projection stops at page one": () => ({
    log: (real) => ({
      projectSnapshot: async (runId) => ({ ...(await real.projectSnapshot(runId)), lastEventSeq: 1 }),
    }),
  }),
  "the last projector wins": () =>
    snapshots((real) => ({
      saveProjection: async (params) => {
        await real.deleteProjection(params.header.runId);
        return real.saveProjection({ ...params, readSeq: 0 });
      },
    })),
  "saving a projection reports no result": () =>
    snapshots((real) => ({ saveProjection: async (params) => void (await real.saveProjection(params)) as never })),
  "steps come in any order": () =>
    snapshots((real) => ({
      listSteps: async (params) => (await real.listSteps(params)).toReversed(),
      readProjection: async (params) => {
        const found = await real.readProjection(params);
        return found && { ...found, steps: found.steps.toReversed() };
      },
    })),
  "a projection stays": () => snapshots(() => ({ deleteProjection: async () => {} })),
  "a projection is never there": () =>
    snapshots(() => ({ readProjection: async () => null, listSteps: async () => [] })),
  "an unknown projection throws": () =>
    snapshots((real) => ({
      readProjection: async (params) => {
        const found = await real.readProjection(params);
        if (found === null) throw new Error("nothing is stored");
        return found;
      },
    })),
  "headers come without their steps": () =>
    snapshots((real) => ({
      readProjections: async (params) =>
        (await real.readProjections(params)).map((found) => found && { ...found, steps: [] }),
    })),
  "nothing was stopped": () => snapshots(() => ({ listStale: async () => [] })),
};
