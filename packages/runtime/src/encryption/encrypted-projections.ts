/** Projections, the run index and derived data of an encrypted store. */
import { isDeepStrictEqual } from "node:util";
import {
  type DerivedData,
  type DerivedRun,
  type ProjectionChange,
  type RunIndex,
  type RunSummary,
  type SnapshotStore,
} from "@runledger/contracts";
import { toIndexRow } from "@runledger/core/store";
import type { PortParts } from "./encrypted-ports.js";
import { override } from "./override.js";
import { concealHeader, sealHeader, sealStep, viewProjection } from "./sealed-projection.js";

type Change = Pick<ProjectionChange, "header" | "steps">;

function sealChange<C extends Change>({ sealer }: PortParts, change: C, tenantId: string): C {
  const { header, steps } = change;
  return {
    ...change,
    header: sealHeader(sealer, header, tenantId),
    steps: steps.map((step) => sealStep(sealer, header.runId, step, tenantId)),
  };
}

export function encryptedSnapshots(snapshots: SnapshotStore, parts: PortParts): SnapshotStore {
  const { view, tenants } = parts;
  const save: SnapshotStore["saveProjections"] = async (changes) => {
    const tenantOf = await tenants.of(changes.map(({ header }) => header.runId));
    return snapshots.saveProjections(changes.map((change) => sealChange(parts, change, tenantOf(change.header.runId))));
  };
  return override(snapshots, {
    readProjection: async (params) => {
      const found = await snapshots.readProjection(params);
      return found === null ? null : viewProjection(view, found);
    },
    readProjections: async (params) => {
      const found = await snapshots.readProjections(params);
      return found.map((each) => (each === null ? null : viewProjection(view, each)));
    },
    listSteps: async (params) => (await snapshots.listSteps(params)).map((step) => view.step(params.runId, step)),
    saveProjection: async (change) => (await save([change]))[0]!,
    saveProjections: save,
  });
}

/** The index holds no error messages. They are read from the headers of failed runs. */
export function encryptedIndex(index: RunIndex, snapshots: SnapshotStore, { view }: PortParts): RunIndex {
  const withMessages = async (runs: readonly RunSummary[]): Promise<readonly RunSummary[]> => {
    const failed = runs.filter(({ error }) => error !== undefined);
    if (failed.length === 0) return runs;
    const found = await snapshots.readProjections(failed.map(({ runId }) => ({ runId, stepIds: [] })));
    const errors = new Map(
      found.flatMap((each) => (each === null ? [] : [[each.header.runId, toIndexRow(view.header(each.header))]])),
    );
    return runs.map((run) => {
      const error = errors.get(run.runId)?.summary.error;
      return run.error === undefined || error === undefined ? run : { ...run, error };
    });
  };
  return override(index, {
    listRuns: async (params) => {
      const page = await index.listRuns(params);
      return { ...page, runs: await withMessages(page.runs) };
    },
  });
}

export function encryptedDerived(derived: DerivedData, parts: PortParts): DerivedData {
  const { view, tenants } = parts;
  const expectedIndexRow: DerivedData["expectedIndexRow"] = (header, tenantId) =>
    derived.expectedIndexRow(concealHeader(header), tenantId);
  /** A row from before encryption was configured is right if it matches the header as it is. */
  const indexRowOf = ({ header, head, indexRow }: DerivedRun): DerivedRun["indexRow"] => {
    if (header === null || head === null) return indexRow;
    const isOpen = isDeepStrictEqual(indexRow, derived.expectedIndexRow(header, head.tenantId));
    return isOpen ? expectedIndexRow(header, head.tenantId) : indexRow;
  };
  return override(derived, {
    expectedIndexRow,
    readDerived: async (runId) => {
      const found = await derived.readDerived(runId);
      const { header, steps, checkpoint } = found;
      return {
        ...found,
        header: header && view.header(header),
        steps: steps.map((step) => view.step(runId, step)),
        checkpoint: checkpoint && view.checkpoint(checkpoint),
        indexRow: indexRowOf(found),
      };
    },
    replaceProjection: async (rebuilt) => {
      const tenantId = await tenants.ofOne(rebuilt.header.runId);
      const keyframes = rebuilt.keyframes.map((frame) => sealChange(parts, frame, tenantId));
      return derived.replaceProjection({ ...sealChange(parts, rebuilt, tenantId), keyframes });
    },
  });
}
