import { RunNotFoundError, type StateStore } from "@runledger/contracts";
import { evolve, initialState, toRunState, type RunState } from "@runledger/core";

/** The state of a run at a seq, folded from the nearest keyframe. The cost depends on the run's size, not on its age. */
export async function stateAt(store: StateStore, runId: string, atSeq: number): Promise<RunState> {
  const keyframe = (await store.keyframes?.loadKeyframe({ runId, atSeq })) ?? null;
  let state = keyframe === null ? initialState(runId) : toRunState(keyframe.header, keyframe.steps);
  const rest = store.streamEvents(runId, { afterSeq: state.lastEventSeq, toSeq: atSeq });
  for await (const event of rest) state = evolve(state, event);
  if (state.lastEventSeq === 0) throw new RunNotFoundError(runId);
  return state;
}
