import type { ProjectionChange, SnapshotStore, StepRow } from "@runledger/contracts";
import type { Folder } from "./folder.js";

/** Projections (F7), stored as lines of the journal. */
export function snapshotStore(folder: Folder): SnapshotStore {
  const stepsOf = (runId: string): StepRow[] =>
    [...(folder.tables.projections.get(runId)?.steps.values() ?? [])].sort((a, b) => a.ordinal - b.ordinal);
  const read: SnapshotStore["readProjection"] = async ({ runId, stepIds }) => {
    const stored = folder.tables.projections.get(runId);
    if (stored === undefined) return null;
    return { header: stored.header, steps: stepsOf(runId).filter((step) => stepIds.includes(step.stepId)) };
  };
  return {
    readProjection: read,
    readProjections: (params) => Promise.all(params.map(read)),
    listStale: async ({ afterRunId = "", limit = 1000 } = {}) =>
      [...folder.tables.projections.values()]
        .filter(({ header }) => header.stale === true && header.runId > afterRunId)
        .map(({ header }) => header.runId)
        .sort()
        .slice(0, limit),
    listSteps: async ({ runId, afterOrdinal = -1, limit = 1000 }) =>
      stepsOf(runId)
        .filter((step) => step.ordinal > afterOrdinal)
        .slice(0, limit),
    saveProjection: (change) => save(folder, change),
    saveProjections: async (changes) => {
      const saved: boolean[] = [];
      for (const change of changes) saved.push(await save(folder, change));
      return saved;
    },
    deleteProjection: (runId) => folder.transaction((commit) => commit({ unprojected: runId })),
  };
}

function save(folder: Folder, { readSeq, header, steps }: ProjectionChange): Promise<boolean> {
  return folder.transaction(async (commit) => {
    const stored = folder.tables.projections.get(header.runId)?.header.lastEventSeq ?? 0;
    if (stored !== readSeq) return false; // another projector has saved since
    await commit({ projected: { header, steps } });
    return true;
  });
}
