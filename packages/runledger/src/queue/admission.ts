import type { FullStateStore } from "@runledger/contracts";
import { answerOf, explain, type Admission } from "@runledger/core";
import { standingOf } from "./log-standing.js";
import { loadState } from "../ledger/load-state.js";

/** What becomes of a run that was just started: a look at the queue, where a limit or a time may make it wait. */
export async function admissionOf(store: FullStateStore, runId: string): Promise<Admission> {
  const facts = await store.queue.inspectRun(runId);
  if (facts === null) return { answer: "ACCEPT" }; // it has ended already
  const state = await loadState(store, runId);
  return answerOf(explain(facts, await standingOf(store, state)));
}
