/**
 * The limit: the same rows into the same columns and keys with nothing else around them. No heads, no numbers to hand
 * out, no fence, no feed; the numbers are known beforehand. Array literals are rendered without escaping, because here
 * nothing needs it.
 */
import { POOL_SIZE, Pool } from "./driver.mjs";
import { drive } from "./callers.mjs";
import { compact } from "./rounds.mjs";

/** @typedef {import("@runledger/contracts").NewEvent} NewEvent */
/** @typedef {import("./driver.mjs").PgPool} PgPool */

const COLUMNS = `run_id, run_seq, event_id, step_id, engine_attempt_id, logical_attempt_id, event_type, event_data,
  idempotency_key, caused_by_signal_id, parent_event_id, emitted_at, persisted_at, adapter_version, engine_run_ref,
  plan_id, plan_version`;

const INSERT_MANY = `
INSERT INTO raw_events (${COLUMNS})
SELECT run_id, run_seq, event_id, step_id, engine_attempt_id, logical_attempt_id, event_type, event_data,
  idempotency_key, NULL, NULL, emitted_at, clock_timestamp(), NULL, NULL, plan_id, plan_version
FROM unnest($1::text[], $2::bigint[], $3::uuid[], $4::text[], $5::text[], $6::text[], $7::text[], $8::jsonb[],
    $9::text[], $10::timestamptz[], $11::text[], $12::text[])
  AS e (run_id, run_seq, event_id, step_id, engine_attempt_id, logical_attempt_id, event_type, event_data,
    idempotency_key, emitted_at, plan_id, plan_version)`;

const INSERT_ONE = `
INSERT INTO raw_events (${COLUMNS})
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, NULL, NULL, $10, clock_timestamp(), NULL, NULL, $11, $12)`;

/** @typedef {Awaited<ReturnType<typeof openRaw>>} Raw */

/**
 * Needs the schema of the store in the same database: the table is made after run_events, keys included.
 * @param {string} url
 */
export async function openRaw(url) {
  const pool = new Pool({ connectionString: url, max: POOL_SIZE });
  await pool.query("CREATE TABLE raw_events (LIKE runledger.run_events INCLUDING ALL)");
  let number = numbering();
  return {
    /** @param {NewEvent} event */
    insertOne: (event) => pool.query({ name: "raw_one", text: INSERT_ONE, values: valuesOf(event, number(event)) }),
    /** @param {readonly NewEvent[]} events */
    insertMany: (events) => pool.query({ name: "raw_many", text: INSERT_MANY, values: arraysOf(events, number) }),
    /** Empty again, numbers included. */
    clear: async () => {
      await pool.query("TRUNCATE raw_events");
      number = numbering();
    },
    close: () => pool.end(),
  };
}

/** Numbers each run's events from 1, in memory. */
function numbering() {
  /** @type {Map<string, number>} */
  const heads = new Map();
  return (/** @type {NewEvent} */ { runId }) => {
    const seq = (heads.get(runId) ?? 0) + 1;
    heads.set(runId, seq);
    return seq;
  };
}

/**
 * @param {NewEvent} e
 * @param {number} seq
 */
function valuesOf(e, seq) {
  const { runId, eventId, stepId, engineAttemptId, logicalAttemptId, eventType, idempotencyKey } = e;
  const data = JSON.stringify(e.eventData);
  const head = [runId, seq, eventId, stepId, engineAttemptId, logicalAttemptId, eventType, data, idempotencyKey];
  return [...head, e.emittedAt, e.planId, e.planVersion];
}

/**
 * @param {readonly NewEvent[]} events
 * @param {(event: NewEvent) => number} number
 */
function arraysOf(events, number) {
  const array = (/** @type {(event: NewEvent) => string | number | undefined} */ value) =>
    `{${events.map(value).join(",")}}`;
  return [
    array((e) => e.runId),
    array(number),
    array((e) => e.eventId),
    array((e) => e.stepId),
    array((e) => e.engineAttemptId),
    array((e) => e.logicalAttemptId),
    array((e) => e.eventType),
    array((e) => `"${JSON.stringify(e.eventData).replaceAll('"', '\\"')}"`),
    array((e) => e.idempotencyKey),
    array((e) => e.emittedAt),
    array((e) => e.planId),
    array((e) => e.planVersion),
  ];
}

/** @typedef {{ batch: number, connections: number }} Shape */

/**
 * Inserts the events in batches over some connections, until the events or the time run out.
 * @param {Raw} raw
 * @param {Shape} shape
 * @param {readonly NewEvent[]} events
 * @param {number} forMs
 */
export function insertRaw(raw, { batch, connections }, events, forMs) {
  const batches = chunks(events, batch);
  const call = async (/** @type {readonly NewEvent[]} */ chunk) => (await raw.insertMany(chunk)).rowCount ?? 0;
  return drive({ callers: connections, items: batches, forMs, call });
}

/**
 * @template T
 * @param {readonly T[]} items
 * @param {number} size
 */
export function chunks(items, size) {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, i) => items.slice(i * size, (i + 1) * size));
}

const BATCHES = [50, 100, 200, 500];
const CONNECTIONS = [1, 2, 3, 4];

/** Number of events created before a round, the same for both sides. A slower side stops when its time is up. */
export const eventsPerRound = (/** @type {import("./suite.mjs").Bench} */ bench) => bench.roundMs * 20;

/**
 * The batch size and connection count at which raw is best with such events: every pair once, the best four again. Each
 * starts with an empty table, and leaves one behind.
 * @param {import("./suite.mjs").Bench} bench
 * @param {Raw} raw
 * @param {(count: number) => readonly NewEvent[]} take
 */
export async function bestShape(bench, raw, take) {
  const all = CONNECTIONS.flatMap((connections) => BATCHES.map((batch) => ({ batch, connections })));
  const events = take(eventsPerRound(bench));
  const first = await measured(raw, all, events.slice(0, events.length / 2), bench.roundMs);
  const best = await measured(raw, first.slice(0, 4), events, bench.roundMs);
  const winner = /** @type {Shape & { rate: number }} */ (best[0]);
  bench.say(`raw is best at ${winner.connections} × ${winner.batch}: ${compact(winner.rate)} events/s`);
  return winner;
}

/**
 * @param {Raw} raw
 * @param {readonly Shape[]} shapes
 * @param {readonly NewEvent[]} events
 * @param {number} forMs
 */
async function measured(raw, shapes, events, forMs) {
  /** @type {(Shape & { rate: number })[]} */
  const results = [];
  for (const { batch, connections } of shapes) {
    const { value } = await insertRaw(raw, { batch, connections }, events, forMs);
    results.push({ batch, connections, rate: value });
    await raw.clear();
  }
  return results.toSorted((a, b) => b.rate - a.rate);
}

/**
 * Measures raw with at most `inFlight` events in flight, as for that many callers with one event each. Not part of any
 * ratio: it shows how much of the difference is waiting of the callers and not our work.
 * @param {import("./suite.mjs").Bench} bench
 * @param {Raw} raw
 * @param {number} inFlight
 * @param {(count: number) => readonly NewEvent[]} take
 */
export async function rawWithInFlight(bench, raw, inFlight, take) {
  const shapes = [1, 2, 4].map((connections) => ({ connections, batch: inFlight / connections }));
  const [best] = await measured(raw, shapes, take(eventsPerRound(bench)), bench.roundMs);
  return best === undefined
    ? ""
    : `raw with ${inFlight} events in flight (${best.connections} × ${best.batch}) ${compact(best.rate)} events/s`;
}
