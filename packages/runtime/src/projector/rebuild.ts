/** Rebuilds projections from the log, run by run, while appends continue. */
import { LogGapError, type DatasetRecord, type FullStateStore, type Projection } from "@runledger/contracts";
import { assertComplete, evolve, initialState, toRunHeader, type RunState } from "@runledger/core";
import { isKeyframeDue } from "@runledger/core/store";
import { datasetRecords } from "./dataset-records.js";
import { walkRuns, type WalkOptions } from "./walk-runs.js";

export interface RebuiltRun {
  readonly runId: string;
  readonly lastEventSeq: number;
  /** `true` if the rows had no log and were deleted. */
  readonly orphan: boolean;
  /** `true` if the log has lost events, or if events were changed. The projection is left as it is: it may show more than the log (F6). */
  readonly damaged: boolean;
}

/** Replaces each run in one transaction. A stopped rebuild leaves nothing half done; pass `after` to continue it. */
export async function* rebuild(store: FullStateStore, options: WalkOptions = {}): AsyncGenerator<RebuiltRun> {
  for await (const runId of walkRuns(store, options)) yield await rebuildUndamaged(store, runId);
  if (options.runId === undefined) await store.derived.recount();
}

async function rebuildUndamaged(store: FullStateStore, runId: string): Promise<RebuiltRun> {
  const [changed] = await store.derived.changedEvents(runId);
  if (changed !== undefined) return { runId, lastEventSeq: changed - 1, orphan: false, damaged: true };
  try {
    return await rebuildRun(store, runId);
  } catch (error) {
    if (!(error instanceof LogGapError)) throw error;
    return { runId, lastEventSeq: error.gap.from - 1, orphan: false, damaged: true };
  }
}

async function rebuildRun(store: FullStateStore, runId: string): Promise<RebuiltRun> {
  let folded: Folded = { state: initialState(runId), keyframes: [], records: [] };
  for (;;) {
    const [head] = await store.fetchHeads([runId]);
    folded = await foldOn(store, folded);
    if (store.capabilities.contiguous) assertComplete(runId, folded.state.lastEventSeq, head?.headSeq ?? 0);
    const { state, keyframes } = folded;
    if (state.lastEventSeq === 0) {
      await store.snapshots.deleteProjection(runId);
      return { runId, lastEventSeq: 0, orphan: true, damaged: false };
    }
    const rebuilt = { header: toRunHeader(state), steps: state.steps.rows(), keyframes };
    await store.datasets?.recordDatasets(folded.records);
    if (await store.derived.replaceProjection(rebuilt))
      return { runId, lastEventSeq: state.lastEventSeq, orphan: false, damaged: false };
  }
}

interface Folded {
  readonly state: RunState;
  readonly keyframes: readonly Projection[];
  readonly records: readonly DatasetRecord[];
}

/** Folds from the given state to the current end of the log. */
async function foldOn(
  store: FullStateStore,
  { state: from, keyframes: known, records: found }: Folded,
): Promise<Folded> {
  let state = from;
  const [keyframes, records] = [[...known], [...found]];
  for await (const event of store.streamEvents(from.runId, { afterSeq: from.lastEventSeq })) {
    state = evolve(state, event);
    records.push(...datasetRecords(state, [event]));
    if (isKeyframeDue(state, keyframes.at(-1)?.header.lastEventSeq ?? 0))
      keyframes.push({ header: toRunHeader(state), steps: state.steps.rows() });
  }
  return { state, keyframes, records };
}
