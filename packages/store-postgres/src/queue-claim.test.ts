// @module-tag O-21
/** The cost of a claim depends on the runs it takes, not on the queue; and no tenant waits for another tenant's queue. */
import { Client } from "pg";
import { afterAll, beforeEach, expect, test } from "vitest";
import { freshDatabase } from "@runledger/test-support/fresh-database";
import { PostgresStore } from "./index.js";

const PLAN = { planId: "nightly", planVersion: "1" };
const WORKER = "worker-1";
const database = await freshDatabase();
const store = await PostgresStore.open({ url: database.url });
const client = new Client({ connectionString: database.url });
await client.connect();

beforeEach(async () => {
  await database.empty();
  await store.leases.heartbeat({ workerId: WORKER, ttlMs: 600_000 });
});
afterAll(async () => {
  await client.end();
  await store.close();
  await database.drop();
});

/** Queues runs of a tenant as starts would, in one statement. */
async function queueRuns(tenant: string, count: number, { key = null as string | null, delay = "0" } = {}) {
  await client.query(
    `INSERT INTO runledger.run_heads (run_id, tenant_id, head_seq, persisted_at)
     SELECT $1 || '-' || n, $1, 1, clock_timestamp() FROM generate_series(1, $2::int) AS n`,
    [tenant, count],
  );
  await client.query(
    `INSERT INTO runledger.run_queue (run_id, plan_id, plan_version, log_format, priority, available_at, tenant_id,
       project_id, concurrency_key, lane_id)
     SELECT $1 || '-' || n, $3, $4, 1, 0, at, $1, 'default', $5, runledger.open_lane($1, 'default', $3, $4, 1, at)
     FROM (SELECT n, clock_timestamp() + $6::interval AS at FROM generate_series(1, $2::int) AS n) AS runs`,
    [tenant, count, PLAN.planId, PLAN.planVersion, key, delay],
  );
}

async function claim(limit: number, rest: { workerId?: string; tenants?: string[] } = {}): Promise<string[]> {
  const { runs } = await store.queue.claimRuns({ workerId: WORKER, plans: [PLAN], logFormat: 1, limit, ...rest });
  return runs.map(({ runId }) => runId.split("-")[0]!);
}

/** Counts the pages that a claim of 20 reads with cached plans. */
async function pagesRead(): Promise<number> {
  const explain = `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON)
    SELECT * FROM runledger.claim_runs('${WORKER}', '{${PLAN.planId}}', '{${PLAN.planVersion}}', 1, 20)`;
  let read = 0;
  for (let i = 0; i < 3; i++) {
    const { rows } = await client.query<{ "QUERY PLAN": [{ Plan: Record<string, number> }] }>(explain);
    const { Plan: plan } = rows[0]!["QUERY PLAN"][0];
    read = plan["Shared Hit Blocks"]! + plan["Shared Read Blocks"]!;
  }
  return read;
}

test(
  "a tenant with 10,000 queued runs delays another tenant's first run by at most one slot",
  { tags: ["O-22"] },
  async () => {
    await queueRuns("many", 10_000);
    expect(await claim(20)).toEqual(Array.from({ length: 20 }, () => "many"));
    await queueRuns("first", 1);
    await queueRuns("second", 2);
    const next: string[] = [];
    for (let i = 0; i < 3; i++) next.push(...(await claim(1)));
    expect(next.toSorted()).toEqual(["first", "many", "second"]);
  },
);

test("a claim reads as many pages with 20,000 queued runs as with 200", async () => {
  for (let tenant = 0; tenant < 20; tenant++) await queueRuns(`few${tenant}`, 10);
  const few = await pagesRead();
  await database.empty();
  await store.leases.heartbeat({ workerId: WORKER, ttlMs: 600_000 });
  for (let tenant = 0; tenant < 20; tenant++) await queueRuns(`many${tenant}`, 1_000);
  const many = await pagesRead();
  console.log(`a claim of 20 reads ${few} pages with 200 queued runs, ${many} with 20,000`);
  expect(many).toBeLessThan(2 * few);
});

test("a claim does not read runs that it cannot take: full tenants, delayed runs, busy concurrency keys", async () => {
  await queueRuns("free", 100);
  const alone = await pagesRead();
  const set = { rate: null, maxQueued: null, priority: null };
  await store.limits.setLimit({ scope: "tenant", subject: "full", maxRunning: 0, ...set });
  await queueRuns("full", 5_000);
  await queueRuns("later", 5_000, { delay: "1 hour" });
  await queueRuns("keyed", 5_000, { key: "one" });
  for (let i = 0; i < 10; i++) await claim(1); // takes the first run of the key and holds the others
  await queueRuns("free2", 100);
  const crowded = await pagesRead();
  console.log(`a claim of 20 reads ${alone} pages alone, ${crowded} beside 15,000 runs that cannot be claimed`);
  expect(crowded).toBeLessThan(4 * alone);
});

test("claims check busy concurrency keys in turn, for any number of them", async () => {
  for (let key = 0; key < 150; key++) await queueRuns(`key${key}`, 2, { key: "one" });
  const claimed: string[] = [];
  for (let i = 0; i < 20; i++) claimed.push(...(await claim(20)));
  expect(new Set(claimed).size).toBe(150);
  expect(claimed.length).toBe(150);
  await client.query("DELETE FROM runledger.run_queue WHERE run_id = 'key149-1'");
  const next: string[] = [];
  for (let i = 0; i < 5; i++) next.push(...(await claim(20)));
  expect(next).toEqual(["key149"]);
});

test("workers of different tenants check the keys of their own tenants in turn", { tags: ["R-25"] }, async () => {
  const keys = async (tenant: string, count: number) => {
    for (let key = 0; key < count; key++) await queueRuns(`${tenant}${key}`, 2, { key: "ab" });
    return Array.from({ length: count }, (_, key) => `${tenant}${key}`);
  };
  const workers = [
    { workerId: "worker-a", tenants: await keys("a", 1) },
    { workerId: "worker-z", tenants: await keys("z", 101) },
  ];
  for (const { workerId, tenants } of workers) await store.leases.heartbeat({ workerId, tenants, ttlMs: 600_000 });
  const inTurn = async (claims: number) => {
    const claimed: string[] = [];
    for (let i = 0; i < claims; i++) for (const worker of workers) claimed.push(...(await claim(20, worker)));
    return claimed;
  };
  expect(new Set(await inTurn(6)).size).toBe(102);
  await client.query("DELETE FROM runledger.run_queue WHERE run_id IN ('z99-1', 'a0-1')");
  expect((await inTurn(2)).toSorted()).toEqual(["a0", "z99"]);
});

test("a lane is deleted when its last run, which was held, starts because its key is free", async () => {
  const lanes = async () => (await client.query("SELECT FROM runledger.queue_lanes")).rowCount;
  await queueRuns("keyed", 3, { key: "one" });
  expect(await claim(20)).toEqual(["keyed"]);
  for (const left of [1, 0]) {
    const { rows } = await client.query<{ owned: string }>(
      "DELETE FROM runledger.run_queue WHERE owner IS NOT NULL RETURNING run_id AS owned",
    );
    expect(rows).toHaveLength(1);
    expect(await claim(20)).toEqual(["keyed"]);
    expect(await lanes()).toBe(left);
  }
  await queueRuns("other", 1);
  expect(await claim(20)).toEqual(["other"]); // a new run opens its lane again
});

test("a worker of the previous version can claim", async () => {
  await queueRuns("tenant", 1);
  const { rows } = await client.query(
    `SELECT c.run_id, c.lease_epoch, c.slot, runledger.ends_matter() AS limited
     FROM runledger.claim_runs($1, $2, $3, 1, 20) AS c`,
    [WORKER, [PLAN.planId], [PLAN.planVersion]],
  );
  expect(rows).toEqual([{ run_id: "tenant-1", lease_epoch: "1", slot: true, limited: false }]);
});
