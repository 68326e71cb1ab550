import { override } from "@runledger/runtime/encryption/override";
import { LedgerSubscriptions } from "@runledger/runtime/outbox/ledger-subscriptions";
import { LedgerSchedules } from "@runledger/runtime/scheduler/ledger-schedules";
import type { Api } from "../http/api.js";
import type { RunCaches } from "./run-caches.js";
import { RunLists } from "../runs/run-lists.js";
import { ListStreams, type ListStreamOptions } from "../streams/list-streams.js";
import { RunStreams, type RunStreamOptions } from "../streams/run-streams.js";

/** Callers who may not see payloads send nothing to buses. */
const NO_SECRETS = { resolve: async () => ({}) };

/** Returns the services for callers who may not see payloads, or `null` if payloads are not encrypted. */
export function concealedApi(api: Api, caches: RunCaches, options: RunStreamOptions & ListStreamOptions): Api | null {
  const { ledger, readQueue } = api;
  const { concealed: store } = ledger.store;
  if (store === undefined) return null;
  const runLists = new RunLists(store);
  const schedules = new LedgerSchedules(store);
  const subscriptions = new LedgerSubscriptions(store, () => NO_SECRETS);
  return {
    ...api,
    ledger: override(ledger, { store, schedules, subscriptions }),
    cachedRuns: caches.concealed(store),
    runLists,
    runStreams: new RunStreams(store, readQueue, options),
    listStreams: new ListStreams(runLists, readQueue, options),
  };
}
