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
 * How appends shared their commits: the feed has one row for each.
 * @param {string} url
 * @param {number} events
 */
export async function batchesReached(url, events) {
  const commits = await withClient(url, async (client) => {
    const { rows } = await client.query({ text: "SELECT count(*) FROM runledger.change_feed", rowMode: "array" });
    return Number(rows[0]?.[0]);
  });
  return `batches of ${(events / commits).toFixed(0)} on average`;
}
