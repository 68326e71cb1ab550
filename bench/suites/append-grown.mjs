import { describe, drive } from "../lib/callers.mjs";
import { eventSource, newRunIds } from "../lib/events.mjs";
import { openStore } from "../lib/ledger.mjs";
import { eventsPerRound } from "../lib/raw.mjs";
import { alternate } from "../lib/rounds.mjs";
import { withClient } from "../lib/server.mjs";

const EVENTS = 2_000_000;
const PER_RUN = 100;
const NEW_RUNS = 1000;

/** @type {import("../lib/suite.mjs").Suite} */
export default {
  name: "append-grown",
  measure: "64 callers, new runs with time-sortable ids into 2 million events, against an empty table",
  target: 0.8,
  reach: "at least",
  async run(bench) {
    const [grownUrl, emptyUrl] = [await bench.database("grown"), await bench.database("empty")];
    const [grown, empty] = [await openStore(grownUrl), await openStore(emptyUrl)];
    bench.say(`making ${EVENTS} events`);
    await withClient(grownUrl, grow);
    const measure = async (/** @type {typeof grown} */ store) => {
      const events = eventSource(newRunIds(NEW_RUNS)).take(eventsPerRound(bench));
      const call = async (/** @type {(typeof events)[number]} */ event) => (await store.appendEvents([event])).length;
      return () => drive({ callers: 64, items: events, forMs: bench.roundMs, call });
    };
    const { ratio, ours, other } = await alternate(bench, async () => {
      await withClient(emptyUrl, (client) =>
        client.query("TRUNCATE runledger.run_heads, runledger.run_events, runledger.change_feed"),
      );
      return { ours: await measure(grown), other: await measure(empty) };
    });
    await grown.close();
    await empty.close();
    return { ratio, details: [describe("grown", ours), describe("empty", other)] };
  },
};

/**
 * Rows of the same shape as the benches append, of older runs. Their keys are made afterwards, which is quicker.
 * @param {import("../lib/driver.mjs").PgClient} client
 */
async function grow(client) {
  const runs = `(SELECT '018b0000-0000-7000-8000-' || lpad(to_hex(n), 12, '0') AS id
    FROM generate_series(1, ${EVENTS / PER_RUN}) n) run`;
  await client.query(`
    INSERT INTO runledger.run_heads (run_id, tenant_id, head_seq, persisted_at)
    SELECT id, 'default', ${PER_RUN}, now() FROM ${runs}`);
  await client.query(`
    ALTER TABLE runledger.run_events DROP CONSTRAINT run_events_pkey,
      DROP CONSTRAINT run_events_run_id_idempotency_key_key`);
  await client.query(`
    INSERT INTO runledger.run_events (run_id, run_seq, event_id, step_id, engine_attempt_id, logical_attempt_id,
      event_type, event_data, idempotency_key, emitted_at, persisted_at, plan_id, plan_version)
    SELECT id, s, md5(id || s)::uuid, 'tables/' || s || '/analyze', '1', '1', 'StepCompleted',
      format('{"output":{"table":"warehouse.orders_%1$s","rows":%1$s,"checksum":"c%1$s","ok":true}}', s)::jsonb,
      md5(id || s) || md5(s || id), now(), now(), 'nightly-orders', '1.4.0'
    FROM ${runs}, generate_series(1, ${PER_RUN}) s`);
  await client.query(`
    ALTER TABLE runledger.run_events ADD PRIMARY KEY (run_id, run_seq), ADD UNIQUE (run_id, idempotency_key)`);
  await client.query("VACUUM ANALYZE");
  await client.query("CHECKPOINT");
}
