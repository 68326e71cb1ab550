import { RunNotFoundError, type StateStore } from "@runledger/contracts";
import { evolve, fromCheckpoint, initialState, type RunState } from "@runledger/core";

/** What the log says of a run, read from its checkpoint on where there is one. */
export async function loadState(store: StateStore, runId: string): Promise<RunState> {
  const checkpoint = (await store.checkpoints?.loadCheckpoint(runId)) ?? null;
  let state = (checkpoint === null ? null : fromCheckpoint(checkpoint)) ?? initialState(runId);
  for await (const event of store.streamEvents(runId, { afterSeq: state.lastEventSeq })) state = evolve(state, event);
  if (state.lastEventSeq === 0) throw new RunNotFoundError(runId);
  return state;
}
