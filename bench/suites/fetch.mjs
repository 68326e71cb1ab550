import { Pool } from "../lib/driver.mjs";
import { eventSource, newRunIds } from "../lib/events.mjs";
import { openStore } from "../lib/ledger.mjs";
import { alternate, compact, median } from "../lib/rounds.mjs";

const EVENTS = 100_000;
/** What reading 100,000 events may hold on to at a time: far below their own size. */
const FLAT_BYTES = 32 * 1024 * 1024;

/** @type {import("../lib/suite.mjs").Suite} */
export default {
  name: "fetch",
  measure: "100,000 events of a run, streamed, against the raw SELECT of the same columns",
  target: 0.6,
  reach: "at least",
  async run(bench) {
    const url = await bench.database("fetch");
    const store = await openStore(url);
    const pool = new Pool({ connectionString: url, max: 1 });
    const [runId] = newRunIds(1);
    const { take } = eventSource([/** @type {string} */ (runId)]);
    for (let i = 0; i < EVENTS; i += 500) await store.appendEvents(take(500));
    const { ratio, ours, other } = await alternate(bench, async () => ({
      ours: () => timed(() => countStream(store, /** @type {string} */ (runId))),
      other: () =>
        timed(
          async () =>
            (await pool.query("SELECT * FROM runledger.run_events WHERE run_id = $1 ORDER BY run_seq", [runId])).rows
              .length,
        ),
    }));
    const grown = await peakGrowth(store, /** @type {string} */ (runId));
    await store.close();
    await pool.end();
    const rate = (/** @type {readonly { value: number }[]} */ rounds) =>
      compact(median(rounds.map(({ value }) => value)));
    const details = [
      `ours ${rate(ours)} events/s, ${(grown / 1e6).toFixed(0)} MB held at most while streaming`,
      `raw ${rate(other)} events/s`,
    ];
    const failed = grown > FLAT_BYTES ? `streaming held ${grown} bytes` : undefined;
    return { ratio, details, ...(failed === undefined ? {} : { failed }) };
  },
};

/** @param {() => Promise<number>} work */
async function timed(work) {
  const start = performance.now();
  const events = await work();
  if (events !== EVENTS) throw new Error(`${events} events were read, not ${EVENTS}.`);
  return { value: events / ((performance.now() - start) / 1000) };
}

/**
 * @param {import("@runledger/store-postgres").PostgresStore} store
 * @param {string} runId
 */
async function countStream(store, runId) {
  let count = 0;
  for await (const _ of store.streamEvents(runId)) count++;
  return count;
}

/**
 * The most that is still reachable at any page, above what was there before.
 * @param {import("@runledger/store-postgres").PostgresStore} store
 * @param {string} runId
 */
async function peakGrowth(store, runId) {
  const collect = globalThis.gc ?? (() => {});
  collect();
  const before = process.memoryUsage().heapUsed;
  let [count, peak] = [0, 0];
  for await (const _ of store.streamEvents(runId)) {
    if (++count % 10_000 !== 0) continue;
    collect();
    peak = Math.max(peak, process.memoryUsage().heapUsed - before);
  }
  return peak;
}
