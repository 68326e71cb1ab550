/** Throwing projections away and making them anew from the log, run by run, while appends go on. */
import type { FullStateStore, Projection } from "@runledger/contracts";
import { evolve, initialState, toRunHeader, type RunState } from "@runledger/core";
import { isKeyframeDue } from "@runledger/core/store";
import { walkRuns, type WalkOptions } from "./walk-runs.js";

export interface RebuiltRun {
  readonly runId: string;
  readonly lastEventSeq: number;
  /** Rows without a log: they are gone. */
  readonly orphan: boolean;
}

/** Each run is replaced in one transaction: stopping in between leaves nothing half done, and `after` goes on from there. */
export async function* rebuild(store: FullStateStore, options: WalkOptions = {}): AsyncGenerator<RebuiltRun> {
  for await (const runId of walkRuns(store, options)) yield await rebuildRun(store, runId);
  if (options.runId === undefined) await store.derived.recount();
}

async function rebuildRun(store: FullStateStore, runId: string): Promise<RebuiltRun> {
  let folded: Folded = { state: initialState(runId), keyframes: [] };
  for (;;) {
    folded = await foldOn(store, folded);
    const { state, keyframes } = folded;
    if (state.lastEventSeq === 0) {
      await store.snapshots.deleteProjection(runId);
      return { runId, lastEventSeq: 0, orphan: true };
    }
    const rebuilt = { header: toRunHeader(state), steps: state.steps.rows(), keyframes };
    if (await store.derived.replaceProjection(rebuilt))
      return { runId, lastEventSeq: state.lastEventSeq, orphan: false };
  }
}

interface Folded {
  readonly state: RunState;
  readonly keyframes: readonly Projection[];
}

/** From where it stands to the end of the log as it is now. */
async function foldOn(store: FullStateStore, { state: from, keyframes: known }: Folded): Promise<Folded> {
  let state = from;
  const keyframes = [...known];
  for await (const event of store.streamEvents(from.runId, { afterSeq: from.lastEventSeq })) {
    state = evolve(state, event);
    if (isKeyframeDue(state, keyframes.at(-1)?.header.lastEventSeq ?? 0))
      keyframes.push({ header: toRunHeader(state), steps: state.steps.rows() });
  }
  return { state, keyframes };
}
