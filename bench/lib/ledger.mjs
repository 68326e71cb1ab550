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
 * @template {{ events: number }} M
 * @param {string} url
 * @param {() => Promise<{ ours: M[], other: M[], ratio: number }>} work
 */
export async function countingCommits(url, work) {
  const before = await commits(url);
  const result = await work();
  const events = result.ours.reduce((sum, round) => sum + round.events, 0);
  const batch = events / ((await commits(url)) - before);
  return { ...result, batch: `batches of ${batch.toFixed(0)} on average` };
}

/** @param {string} url */
async function commits(url) {
  return withClient(url, async (client) => {
    const { rows } = await client.query({ text: "SELECT count(*) FROM runledger.change_feed", rowMode: "array" });
    return Number(rows[0]?.[0]);
  });
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
