import { setTimeout as sleep } from "node:timers/promises";
import { RunNotFoundError, type FullStateStore } from "@runledger/contracts";
import { evolveAll, initialState, isTerminal } from "@runledger/core";
import type { Page } from "./desk/desk.js";

const POLL_MS = 100;

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
