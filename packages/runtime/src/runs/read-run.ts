/**
 * Reads a run from its stored projection if that is current, else by folding its log. A run whose log has lost events is
 * shown as far as it is intact, marked `stale` (F6).
 */
import {
  StopError,
  type FullStateStore,
  type Projection,
  type RunHead,
  type RunHeader,
  type StepRow,
} from "@runledger/contracts";
import { type RunState, toRunHeader } from "@runledger/core";
import { loadIntact } from "./load-state.js";
import { findOutput } from "./outputs.js";
import { resultOfProjection, resultOfState, shownOutput, type ShownOutput } from "./run-result.js";

export async function readHeader(store: FullStateStore, head: RunHead): Promise<RunHeader> {
  const { runId, headSeq } = head;
  const stored = await store.snapshots.readProjection({ runId, stepIds: [] });
  if (stored !== null && stored.header.lastEventSeq >= headSeq) return stored.header;
  const { state, isWhole } = await loadIntact(store, head);
  return isWhole ? toRunHeader(state) : { ...toRunHeader(state), stale: true };
}

/**
 * Like `readHeader`; a completed run also has its output, and the artifacts of its steps. `projection` is the stored one if
 * the caller has read it after the head.
 */
export async function readRun(
  store: FullStateStore,
  head: RunHead,
  projection?: Projection | null,
): Promise<RunHeader> {
  const { headSeq } = head;
  const stored = projection === undefined ? await projectionOf(store, head) : projection;
  if (stored !== null && stored.header.lastEventSeq >= headSeq)
    return orStale(stored.header, resultOfProjection(store, stored.header));
  const { state, isWhole } = await loadIntact(store, head);
  const header = await orStale(toRunHeader(state), resultOfState(store, state));
  return isWhole ? header : { ...header, stale: true };
}

function projectionOf(store: FullStateStore, { runId }: RunHead): Promise<Projection | null> {
  return store.snapshots.readProjection({ runId, stepIds: [] });
}

/** Returns the run without its result if the log has lost the event with it. */
async function orStale(header: RunHeader, result: Promise<RunHeader>): Promise<RunHeader> {
  try {
    return await result;
  } catch (error) {
    if (!(error instanceof StopError) || error.code !== "LOG_GAP") throw error;
    return { ...header, stale: true };
  }
}

export interface StepsQuery {
  readonly afterOrdinal: number;
  readonly limit: number;
}

export async function readSteps(
  store: FullStateStore,
  head: RunHead,
  { afterOrdinal, limit }: StepsQuery,
  projection?: Projection | null,
): Promise<readonly StepRow[]> {
  const { runId, headSeq } = head;
  const stored = projection === undefined ? await projectionOf(store, head) : projection;
  if (stored !== null && stored.header.lastEventSeq >= headSeq)
    return store.snapshots.listSteps({ runId, afterOrdinal, limit });
  return stepsOf((await loadIntact(store, head)).state, { afterOrdinal, limit });
}

export async function readStep(store: FullStateStore, head: RunHead, stepId: string): Promise<StepRow | undefined> {
  const { runId, headSeq } = head;
  const stored = await store.snapshots.readProjection({ runId, stepIds: [stepId] });
  if (stored !== null && stored.header.lastEventSeq >= headSeq) return stored.steps[0];
  return (await loadIntact(store, head)).state.steps.get(stepId);
}

/** Returns the output of a step that succeeded. */
export async function readOutput(store: FullStateStore, head: RunHead, stepId: string): Promise<ShownOutput> {
  const { runId } = head;
  const { planVersion = "" } = await readHeader(store, head);
  const steps = { get: (id: string) => readStep(store, head, id) };
  const source = { store, runId, planVersion };
  return shownOutput(source, await findOutput(source, { steps }, stepId));
}

export function stepsOf(state: RunState, { afterOrdinal, limit }: StepsQuery): readonly StepRow[] {
  return state.steps
    .rows()
    .filter(({ ordinal }) => ordinal > afterOrdinal)
    .slice(0, limit);
}
