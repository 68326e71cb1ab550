/** Verifies and rebuilds the snapshots of a store that has a log and snapshots, but no run index, feed or queue. */
import { LogGapError, type StateStore, type StepRow } from "@runledger/contracts";
import { assertComplete, evolve, initialState, toRunHeader, type RunState } from "@runledger/core";
import { checkpointDifferences, projectionDifferences } from "./differences.js";
import { LogFaults } from "./log-faults.js";
import { projectLogs } from "./project-logs.js";
import type { RebuiltRun } from "./rebuild.js";
import { checksumOf, type VerifiedRun } from "./verify.js";
import type { WalkOptions } from "./walk-runs.js";

/** Verifies runs in the order of their ids. Projects pending events first, in case no projector runs. */
export async function* verifyLogs(store: StateStore, options: WalkOptions = {}): AsyncGenerator<VerifiedRun> {
  await projectLogs(store, options);
  for await (const runId of walkLogs(store, options)) yield await verifyLog(store, runId);
}

async function verifyLog(store: StateStore, runId: string): Promise<VerifiedRun> {
  const stored = await store.snapshots.readProjection({ runId, stepIds: [] });
  const steps = await allSteps(store, runId);
  const checkpoint = (await store.checkpoints?.loadCheckpoint(runId)) ?? null;
  const headSeq = (await store.fetchHeads([runId]))[0]?.headSeq ?? 0;
  const differences: string[] = [];
  const faults = new LogFaults(runId);
  const state = await faults.fold(store, headSeq, (folded) => {
    if (stored !== null && folded.lastEventSeq === stored.header.lastEventSeq) {
      const { stale: _, ...header } = stored.header;
      differences.push(...projectionDifferences({ header, steps }, folded));
    }
    if (checkpoint?.seq === folded.lastEventSeq) differences.push(...checkpointDifferences(checkpoint, folded));
  });
  const at = stored?.header.lastEventSeq ?? 0;
  if (at === 0 && headSeq > 0) differences.push("no projection");
  if (at > headSeq) differences.push(`the projection is at seq ${at}, the log at ${headSeq}`);
  const damage = faults.found(differences.length > 0);
  return { runId, lastEventSeq: state.lastEventSeq, checksum: checksumOf(state), differences, damage };
}

/** Replaces the snapshot of each run by a fold of its log. Leaves runs whose log has lost events as they are (F6). */
export async function* rebuildLogs(store: StateStore, options: WalkOptions = {}): AsyncGenerator<RebuiltRun> {
  for await (const runId of walkLogs(store, options)) yield await rebuildLog(store, runId);
}

async function rebuildLog(store: StateStore, runId: string): Promise<RebuiltRun> {
  for (;;) {
    const headSeq = (await store.fetchHeads([runId]))[0]?.headSeq ?? 0;
    const stored = await store.snapshots.readProjection({ runId, stepIds: [] });
    const kept = await allSteps(store, runId);
    let state: RunState = initialState(runId);
    try {
      for await (const event of store.streamEvents(runId, { toSeq: headSeq })) state = evolve(state, event);
      assertComplete(runId, state.lastEventSeq, headSeq);
    } catch (error) {
      if (!(error instanceof LogGapError)) throw error;
      return { runId, lastEventSeq: error.gap.from - 1, orphan: false, damaged: true };
    }
    const isOrphan = state.lastEventSeq === 0;
    const hasExtra = kept.some(({ stepId }) => state.steps.get(stepId) === undefined);
    if (isOrphan || hasExtra) await store.snapshots.deleteProjection(runId);
    if (isOrphan) return { runId, lastEventSeq: 0, orphan: true, damaged: false };
    const read = stored === null || hasExtra ? { readSeq: 0 } : { readSeq: stored.header.lastEventSeq };
    const generation = hasExtra ? 0 : (stored?.generation ?? 0);
    const change = { ...read, generation, header: toRunHeader(state), steps: state.steps.rows() };
    if (await store.snapshots.saveProjection(change))
      return { runId, lastEventSeq: state.lastEventSeq, orphan: false, damaged: false };
  }
}

async function allSteps(store: StateStore, runId: string): Promise<StepRow[]> {
  const steps: StepRow[] = [];
  for (;;) {
    const page = await store.snapshots.listSteps({ runId, afterOrdinal: steps.at(-1)?.ordinal ?? -1 });
    if (page.length === 0) return steps;
    steps.push(...page);
  }
}

async function* walkLogs(store: StateStore, { runId, after, signal }: WalkOptions): AsyncGenerator<string> {
  if (runId !== undefined) {
    yield runId;
    return;
  }
  for (let afterRunId = after; ;) {
    const heads = await store.listHeads({ archived: true, ...(afterRunId === undefined ? {} : { afterRunId }) });
    for (const head of heads) {
      if (signal?.aborted === true) return;
      yield head.runId;
    }
    afterRunId = heads.at(-1)?.runId;
    if (afterRunId === undefined) return;
  }
}
