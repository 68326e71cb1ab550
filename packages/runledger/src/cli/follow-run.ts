import { setTimeout as sleep } from "node:timers/promises";
import { RunNotFoundError, type CanonicalEngineEvent, type FullStateStore } from "@runledger/contracts";
import { evolveAll, initialState, isTerminal, type RunState } from "@runledger/core";

const POLL_MS = 100;

/** Some more of a run's log, and what the whole log says up to there. Empty = nothing new, but time has passed. */
export interface Page {
  readonly events: readonly CanonicalEngineEvent[];
  readonly state: RunState;
}

/** The log of a run, page by page, until it has ended or the caller has had enough. */
export async function* followRun(store: FullStateStore, runId: string, enough: AbortSignal): AsyncGenerator<Page> {
  let state = initialState(runId);
  while (!enough.aborted) {
    const events = await store.fetchEvents(runId, { afterSeq: state.lastEventSeq });
    if (events.length === 0 && state.lastEventSeq === 0) throw new RunNotFoundError(runId);
    state = evolveAll(state, events);
    yield { events, state };
    if (events.length > 0) continue; // there may be more
    if (isTerminal(state.status)) return;
    await sleep(POLL_MS, undefined, { signal: enough }).catch(() => {});
  }
}
