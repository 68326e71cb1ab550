import { Pool } from "../lib/driver.mjs";
import { eventSource, newRunIds } from "../lib/events.mjs";
import { openStore } from "../lib/ledger.mjs";
import { bytesInUse } from "../lib/memory.mjs";
import { alternate, compact, median } from "../lib/rounds.mjs";

const EVENTS = 100_000;
/** While it streams, a reader holds a few pages: flat means far less than all events take. */
const FLAT = 0.1;

/** @type {import("../lib/suite.mjs").Suite} */
export default {
  name: "fetch",
  measure: "100,000 events of a run, the lower of streamed and fetched at once, against the raw SELECT",
  target: 0.6,
  reach: "at least",
  async run(all) {
    const bench = { ...all, rounds: Math.min(all.rounds, 3) }; // each reads 400,000 events
    const url = await bench.database("fetch");
    const store = await openStore(url);
    const pool = new Pool({ connectionString: url, max: 1 });
    const [runId = ""] = newRunIds(1);
    const { take } = eventSource([runId]);
    for (let i = 0; i < EVENTS; i += 500) await store.appendEvents(take(500));
    const raw = async () => /** @type {unknown[]} */ ((await pool.query({ text: SELECT, values: [runId] })).rows);
    const fetched = () => store.fetchEvents(runId, { limit: EVENTS });
    const streamed = await alternate(bench, async () => ({
      ours: () => timed(() => count(store, runId)),
      other: sized(raw),
    }));
    const atOnce = await alternate(bench, async () => ({ ours: sized(fetched), other: sized(raw) }));
    const flat = (await heldAtMost(store, runId)) / (await heldBy(fetched));
    await store.close();
    await pool.end();
    const details = [
      `streamed ${rate(streamed.ours)}, raw ${rate(streamed.other)}: ${streamed.ratio.toFixed(2)}`,
      `fetched at once ${rate(atOnce.ours)}, raw ${rate(atOnce.other)}: ${atOnce.ratio.toFixed(2)}`,
      `the stream holds at most ${(flat * 100).toFixed(1)}% of what all events take`,
    ];
    const ratio = Math.min(streamed.ratio, atOnce.ratio);
    return flat <= FLAT ? { ratio, details } : { ratio, details, failed: "memory is not flat when streamed" };
  },
};

const SELECT = "SELECT * FROM runledger.run_events WHERE run_id = $1 ORDER BY run_seq";

/** @param {() => Promise<{ length: number }>} read */
const sized = (read) => () => timed(async () => (await read()).length);

/** @param {readonly { value: number }[]} rounds */
const rate = (rounds) => `${compact(median(rounds.map(({ value }) => value)))} events/s`;

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
async function count(store, runId) {
  let events = 0;
  for await (const _ of store.streamEvents(runId)) events++;
  return events;
}

/** @param {() => Promise<unknown>} read */
async function heldBy(read) {
  const before = bytesInUse();
  const held = [await read()];
  const bytes = bytesInUse() - before;
  held.length = 0;
  return bytes;
}

/**
 * @param {import("@runledger/store-postgres").PostgresStore} store
 * @param {string} runId
 */
async function heldAtMost(store, runId) {
  const before = bytesInUse();
  let [events, most] = [0, 0];
  for await (const _ of store.streamEvents(runId)) {
    if (++events % 10_000 === 0) most = Math.max(most, bytesInUse() - before);
  }
  return most;
}
