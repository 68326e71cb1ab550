/** Our side: a store on a fresh schema, and runs that a worker holds. */
import { newEvent } from "@runledger/contracts";
import { PostgresStore } from "@runledger/store-postgres";
import { POOL_SIZE } from "./driver.mjs";
import { newRunIds } from "./events.mjs";
import { withClient } from "./server.mjs";

const WORKER = "bench";
const DAY = 24 * 60 * 60 * 1000;

/** @param {string} url */
export const openStore = (url) => PostgresStore.open({ url, poolSize: POOL_SIZE });

/**
 * Starts and leases runs.
 * @param {PostgresStore} store
 * @param {number} count
 * @returns {Promise<ReadonlyMap<string, number>>} the fence of each run
 */
export async function leaseRuns(store, count) {
  const runIds = newRunIds(count);
  const started = { eventType: "RunStarted", planId: "nightly-orders", planVersion: "1.4.0" };
  await store.appendEvents(runIds.map((runId) => newEvent({ ...started, runId })));
  await store.leases.heartbeat({ workerId: WORKER, ttlMs: DAY });
  const { leases } = await store.leases.acquireLeases({ workerId: WORKER, runIds });
  return new Map(leases.map(({ runId, epoch }) => [runId, epoch]));
}

/**
 * How the appends of `work` shared their commits: the feed has one row for each.
 * @template R
 * @param {string} url
 * @param {() => Promise<R>} work
 */
export async function countingCommits(url, work) {
  const before = await stored(url);
  const result = await work();
  const after = await stored(url);
  const batch = (after.events - before.events) / (after.commits - before.commits);
  return { ...result, batch: `batches of ${batch.toFixed(0)} on average` };
}

/** @param {string} url */
async function stored(url) {
  const counts = "SELECT (SELECT count(*) FROM runledger.run_events), (SELECT count(*) FROM runledger.change_feed)";
  const { rows } = await withClient(url, (client) => client.query({ text: counts, rowMode: "array" }));
  const [events, commits] = /** @type {unknown[][]} */ (rows)[0] ?? [];
  return { events: Number(events), commits: Number(commits) };
}

/**
 * Appends one event under its run's fence, and says that it stored one.
 * @param {PostgresStore} store
 * @param {ReadonlyMap<string, number>} fences
 */
export function appender(store, fences) {
  return async (/** @type {import("@runledger/contracts").NewEvent} */ event) => {
    const results = await store.appendEvents([event], { fence: /** @type {number} */ (fences.get(event.runId)) });
    return results.length;
  };
}
