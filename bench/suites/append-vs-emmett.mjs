/** The best known TypeScript event store on PostgreSQL, as its documentation sets it up, with the same pool size. */
import { describe, drive } from "../lib/callers.mjs";
import { POOL_SIZE, Pool } from "../lib/driver.mjs";
import { eventSource } from "../lib/events.mjs";
import { appender, leaseRuns, openStore } from "../lib/ledger.mjs";
import { eventsPerRound } from "../lib/raw.mjs";
import { alternate } from "../lib/rounds.mjs";

/**
 * As a variable, and with what is used of it spelt out: its own types are there only once the peers are installed.
 * @type {string}
 */
const PEER = "@event-driven-io/emmett-postgresql";

/**
 * @typedef {object} EventStore
 * @property {{ migrate: () => Promise<unknown> }} schema
 * @property {(stream: string, events: { type: string, data: Record<string, unknown> }[]) => Promise<unknown>} appendToStream
 * @property {() => Promise<void>} close
 *
 * @typedef {object} Emmett
 * @property {(url: string, options: { connectionOptions: { pool: import("../lib/driver.mjs").PgPool } }) => EventStore} getPostgreSQLEventStore
 */

/** @type {import("../lib/suite.mjs").Suite} */
export default {
  name: "append-vs-emmett",
  measure: "64 callers, one event per append, 1,000 runs, against emmett-postgresql",
  target: 10,
  reach: "at least",
  async run(bench) {
    const { getPostgreSQLEventStore } = /** @type {Emmett} */ (await import(PEER));
    const url = await bench.database("ours");
    const peerUrl = await bench.database("emmett");
    const store = await openStore(url);
    const pool = new Pool({ connectionString: peerUrl, max: POOL_SIZE });
    // The database is dropped under what the peer keeps open.
    pool.on("error", () => {}).on("connect", (client) => client.on("error", () => {}));
    const peer = getPostgreSQLEventStore(peerUrl, { connectionOptions: { pool } });
    await peer.schema.migrate();
    const fences = await leaseRuns(store, 1000);
    const { take } = eventSource([...fences.keys()]);
    const { ratio, ours, other } = await alternate(bench, async () => {
      const events = take(eventsPerRound(bench));
      const call = async (/** @type {(typeof events)[number]} */ { runId, eventType, eventData }) => {
        const event = { type: eventType, data: /** @type {Record<string, unknown>} */ (eventData) };
        await untilStored(() => peer.appendToStream(`run-${runId}`, [event]));
        return 1;
      };
      return {
        ours: () => drive({ callers: 64, items: events, forMs: bench.roundMs, call: appender(store, fences) }),
        other: () => drive({ callers: 64, items: events, forMs: bench.roundMs, call }),
      };
    });
    await store.close();
    await peer.close();
    await pool.end();
    return { ratio, details: [describe("ours", ours), describe("emmett-postgresql", other)] };
  },
};

/**
 * Two concurrent appends to one stream: one of them gets a conflict and is retried, as its users do.
 * @param {() => Promise<unknown>} append
 */
async function untilStored(append) {
  for (;;) {
    try {
      return await append();
    } catch (error) {
      if (/** @type {{ errorCode?: number }} */ (error).errorCode !== 412) throw error;
    }
  }
}
