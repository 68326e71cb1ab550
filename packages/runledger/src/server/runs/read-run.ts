/** A run as it is now, or as it was: from its stored projection where that is current, else folded from the log. */
import type { FullStateStore, RunHead, RunHeader, StepRow } from "@runledger/contracts";
import { toRunHeader, type RunState } from "@runledger/core";
import { loadState } from "../../ledger/load-state.js";

export async function readHeader(store: FullStateStore, { runId, headSeq }: RunHead): Promise<RunHeader> {
  const stored = await store.snapshots.readProjection({ runId, stepIds: [] });
  if (stored !== null && stored.header.lastEventSeq >= headSeq) return stored.header;
  return toRunHeader(await loadState(store, runId));
}

export interface StepsQuery {
  readonly afterOrdinal: number;
  readonly limit: number;
}

export async function readSteps(
  store: FullStateStore,
  { runId, headSeq }: RunHead,
  { afterOrdinal, limit }: StepsQuery,
): Promise<readonly StepRow[]> {
  const stored = await store.snapshots.readProjection({ runId, stepIds: [] });
  if (stored !== null && stored.header.lastEventSeq >= headSeq)
    return store.snapshots.listSteps({ runId, afterOrdinal, limit });
  return stepsOf(await loadState(store, runId), { afterOrdinal, limit });
}

export async function readStep(store: FullStateStore, head: RunHead, stepId: string): Promise<StepRow | undefined> {
  const { runId, headSeq } = head;
  const stored = await store.snapshots.readProjection({ runId, stepIds: [stepId] });
  if (stored !== null && stored.header.lastEventSeq >= headSeq) return stored.steps[0];
  return (await loadState(store, runId)).steps.get(stepId);
}

export function stepsOf(state: RunState, { afterOrdinal, limit }: StepsQuery): readonly StepRow[] {
  return state.steps
    .rows()
    .filter(({ ordinal }) => ordinal > afterOrdinal)
    .slice(0, limit);
}
