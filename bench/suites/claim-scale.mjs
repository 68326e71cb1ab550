import { openStore } from "../lib/ledger.mjs";
import { alternate, compact, median, quantile } from "../lib/rounds.mjs";
import { withClient } from "../lib/server.mjs";

const WORKER = "bench";
const PLAN = { planId: "nightly-orders", planVersion: "1.4.0" };
const HOUR = 60 * 60 * 1000;
/** Runs per claim, as a worker asks for them. */
const BATCH = 20;
/** Claims between two refills. */
const CLAIMS = 5;

const SIDES = {
  many: { runs: 100_000, tenants: 1_000 },
  few: { runs: 100, tenants: 100 },
};

/** @type {import("../lib/suite.mjs").Suite} */
export default {
  name: "claim-scale",
  measure: "claims/s with 100,000 queued runs of 1,000 tenants against 100 queued runs",
  target: 0.5,
  reach: "at least",
  async run(bench) {
    const many = await side(await bench.database("claim-many"), SIDES.many);
    bench.say(`${SIDES.many.runs} runs are queued`);
    const few = await side(await bench.database("claim-few"), SIDES.few);
    try {
      const { ratio, ours, other } = await alternate(bench, async () => ({
        ours: () => many.measure(bench.roundMs),
        other: () => few.measure(bench.roundMs),
      }));
      const details = [`many queued: ${about(ours)}`, `few queued: ${about(other)}`];
      return { ratio, details };
    } finally {
      await many.close();
      await few.close();
    }
  },
};

/** @param {readonly { value: number, p50: number, p99: number }[]} rounds */
function about(rounds) {
  const of = (/** @type {"value" | "p50" | "p99"} */ what) => median(rounds.map((round) => round[what]));
  return `${compact(of("value"))} runs/s; a claim takes ${of("p50").toFixed(1)} ms at p50, ${of("p99").toFixed(1)} ms at p99`;
}

/**
 * A queue that is as full after each refill as it was.
 * @param {string} url
 * @param {{ runs: number, tenants: number }} size
 */
async function side(url, { runs, tenants }) {
  const store = await openStore(url);
  let next = 0;
  const fill = (/** @type {number} */ count) => {
    next += count;
    return withClient(url, (client) => queueRuns(client, { from: next - count, count, tenants }));
  };
  await fill(runs);
  await withClient(url, (client) => client.query("VACUUM ANALYZE"));
  return {
    measure: (/** @type {number} */ ms) => measure(store, ms, () => refill(url, fill)),
    close: () => store.close(),
  };
}

/**
 * Finishes the claimed runs and starts as many new ones.
 * @param {string} url
 * @param {(count: number) => Promise<unknown>} fill
 */
async function refill(url, fill) {
  await withClient(url, (client) => client.query("DELETE FROM runledger.run_queue WHERE owner IS NOT NULL"));
  await fill(BATCH * CLAIMS);
}

/**
 * As starts leave it, a statement for all of them.
 * @param {import("../lib/driver.mjs").PgClient} client
 * @param {{ from: number, count: number, tenants: number }} runs
 */
async function queueRuns(client, { from, count, tenants }) {
  const numbers = [from, from + count - 1, tenants];
  await client.query({
    text: `INSERT INTO runledger.run_heads (run_id, tenant_id, head_seq, persisted_at)
      SELECT 'run-' || n, 'tenant-' || n % $3::int, 1, clock_timestamp() FROM generate_series($1::int, $2::int) AS n`,
    values: numbers,
  });
  await client.query({
    text: `INSERT INTO runledger.run_queue (run_id, plan_id, plan_version, log_format, priority, available_at, tenant_id,
        project_id, lane_id)
      SELECT 'run-' || n, $4, $5, 1, 0, at, tenant, 'default', runledger.open_lane(tenant, 'default', $4, $5, 1, at)
      FROM (SELECT n, 'tenant-' || n % $3::int AS tenant, clock_timestamp() AS at
        FROM generate_series($1::int, $2::int) AS n) AS runs`,
    values: [...numbers, PLAN.planId, PLAN.planVersion],
  });
}

/**
 * @param {Awaited<ReturnType<typeof openStore>>} store
 * @param {number} roundMs
 * @param {() => Promise<unknown>} refillQueue outside the clock
 */
async function measure(store, roundMs, refillQueue) {
  await store.leases.heartbeat({ workerId: WORKER, ttlMs: HOUR });
  /** @type {number[]} */
  const times = [];
  let claimed = 0;
  for (let spent = 0; spent < roundMs;) {
    for (let i = 0; i < CLAIMS; i++) {
      const began = performance.now();
      const { runs } = await store.queue.claimRuns({ workerId: WORKER, plans: [PLAN], logFormat: 1, limit: BATCH });
      times.push(performance.now() - began);
      spent += performance.now() - began;
      claimed += runs.length;
    }
    await refillQueue();
  }
  const seconds = times.reduce((sum, time) => sum + time, 0) / 1000;
  return { value: claimed / seconds, p50: quantile(times, 0.5), p99: quantile(times, 0.99) };
}
