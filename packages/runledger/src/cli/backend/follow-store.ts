import { setTimeout as sleep } from "node:timers/promises";
import { RunNotFoundError, type FullStateStore } from "@runledger/contracts";
import { evolveAll, initialState, isTerminal } from "@runledger/core";
import type { EventPage } from "./backend.js";

const POLL_MS = 100;

/** Polls the store and yields the run's log page by page until the run finishes or `signal` is aborted. */
export async function* followStore(
  store: FullStateStore,
  runId: string,
  signal: AbortSignal,
): AsyncGenerator<EventPage> {
  let state = initialState(runId);
  while (!signal.aborted) {
    const events = await store.fetchEvents(runId, { afterSeq: state.lastEventSeq });
    if (events.length === 0 && state.lastEventSeq === 0) throw new RunNotFoundError(runId);
    state = evolveAll(state, events);
    yield { events, state };
    if (events.length > 0) continue; // the store may have more
    if (isTerminal(state.status)) return;
    await sleep(POLL_MS, undefined, { signal }).catch(() => {});
  }
}
