import { Client } from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { freshDatabase, type FreshDatabase } from "../../../tests/support/fresh-database.js";
import { PostgresStore } from "./index.js";

let database: FreshDatabase;
beforeAll(async () => void (database = await freshDatabase()));
afterAll(() => database.drop());

const SCHEDULES = 20_000;
const LOOKS = 10;

async function query<T>(text: string): Promise<T> {
  const client = new Client({ connectionString: database.url });
  await client.connect();
  try {
    return (await client.query(text)).rows[0] as T;
  } finally {
    await client.end();
  }
}

interface Reads {
  readonly looks: number;
  readonly sequential: number;
  readonly fetched: number;
  readonly updated: number;
}

/** What was read of the table. Sessions tell when they end. */
async function reads(least: number): Promise<Reads> {
  for (;;) {
    const now = await query<Reads>(`
SELECT idx_scan::int AS looks, seq_tup_read::int AS sequential, idx_tup_fetch::int AS fetched, n_tup_upd::int AS updated
FROM pg_stat_all_tables WHERE relname = 'schedules' AND schemaname = 'runledger'`);
    if (now.looks >= least) return now;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

test("[O-30] a look at many schedules of which none is due reads a handful, and writes nothing", async () => {
  const first = await PostgresStore.open({ url: database.url });
  await first.schedules.claimDue({ limit: 20, holdMs: 1000 }); // while the table is empty
  await query(`
INSERT INTO runledger.schedules (tenant_id, schedule_id, definition, next_tick, due_at, waiting)
SELECT 'acme', 's' || n, '{}', now() + n * interval '1 hour', now() + n * interval '1 hour', false
FROM generate_series(1, ${SCHEDULES}) AS n`);
  await query("ANALYZE runledger.schedules"); // as the server does by itself, sooner or later
  const before = await reads(0);
  const store = await PostgresStore.open({ url: database.url, poolSize: 1 });
  for (let look = 0; look < LOOKS; look++) {
    const { schedules, nextDueAt } = await store.schedules.claimDue({ limit: 20, holdMs: 1000 });
    expect(schedules).toEqual([]);
    expect(nextDueAt).not.toBeNull();
  }
  await store.close();
  await first.close();
  const after = await reads(before.looks + LOOKS);
  expect(after.sequential - before.sequential).toBe(0);
  expect(after.fetched - before.fetched).toBeLessThan(5 * LOOKS);
  expect(after.updated - before.updated).toBe(0);
});
