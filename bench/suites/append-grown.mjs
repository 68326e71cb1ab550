import { describe, drive } from "../lib/callers.mjs";
import { eventSource, newRunIds } from "../lib/events.mjs";
import { openStore } from "../lib/ledger.mjs";
import { EVENTS_PER_MS } from "../lib/raw.mjs";
import { alternate } from "../lib/rounds.mjs";
import { withClient } from "../lib/server.mjs";

const EVENTS = 2_000_000;
const PER_RUN = 100;

/** @type {import("../lib/suite.mjs").Suite} */
export default {
  name: "append-grown",
  measure: "64 callers, new runs with time-sortable ids into 2 million events, against an empty table",
  target: 0.8,
  reach: "at least",
  async run(bench) {
    const grownUrl = await bench.database("grown");
    const [grown, empty] = [await openStore(grownUrl), await openStore(await bench.database("empty"))];
    bench.say(`making ${EVENTS} events`);
    await grow(grownUrl);
    const measure = async (/** @type {typeof grown} */ store) => {
      const events = eventSource(newRunIds(5000)).take(bench.roundMs * EVENTS_PER_MS);
      const call = async (/** @type {(typeof events)[number]} */ event) => (await store.appendEvents([event])).length;
      return () => drive({ callers: 64, items: events, forMs: bench.roundMs, call });
    };
    const { ratio, ours, other } = await alternate(bench, async () => ({
      ours: await measure(grown),
      other: await measure(empty),
    }));
    await grown.close();
    await empty.close();
    return { ratio, details: [describe("grown", ours), describe("empty", other)] };
  },
};

/**
 * Rows of the same shape as the benches append, older than theirs.
 * @param {string} url
 */
function grow(url) {
  return withClient(url, async (client) => {
    const runs = "'018b0000-0000-7000-8000-' || lpad(to_hex(r), 12, '0')";
    await client.query(`
      INSERT INTO runledger.run_heads (run_id, tenant_id, head_seq, persisted_at)
      SELECT ${runs}, 'default', ${PER_RUN}, now() FROM generate_series(1, ${EVENTS / PER_RUN}) r`);
    await client.query(`
      INSERT INTO runledger.run_events (run_id, run_seq, event_id, step_id, engine_attempt_id, logical_attempt_id,
        event_type, event_data, idempotency_key, emitted_at, persisted_at, plan_id, plan_version)
      SELECT ${runs}, s, gen_random_uuid(), 'tables/' || s || '/analyze', '1', '1', 'StepCompleted',
        jsonb_build_object('output', jsonb_build_object('table', 'warehouse.orders_' || s, 'rows', s, 'checksum', 'c' || s, 'ok', true)),
        encode(sha256((r || '|' || s)::text::bytea), 'hex'), now(), now(), 'nightly-orders', '1.4.0'
      FROM generate_series(1, ${EVENTS / PER_RUN}) r, generate_series(1, ${PER_RUN}) s`);
    await client.query("ANALYZE");
    await client.query("CHECKPOINT");
  });
}
