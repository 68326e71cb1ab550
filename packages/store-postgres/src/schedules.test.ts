// @module-tag O-30
import { afterAll, beforeAll, expect, test } from "vitest";
import { freshDatabase, type FreshDatabase } from "@runledger/test-support/fresh-database";
import { PostgresStore } from "./index.js";
import { query } from "@runledger/test-support/databases";

let database: FreshDatabase;
beforeAll(async () => void (database = await freshDatabase()));
afterAll(() => database.drop());

const SCHEDULES = 20_000;
const LOOKS = 10;

/** Returns the first row. */
async function queryOne<Row extends object = Record<string, unknown>>(text: string): Promise<Row> {
  return (await query<Row>(database.url, text))[0]!;
}

interface Reads {
  readonly looks: number;
  readonly sequential: number;
  readonly fetched: number;
  readonly updated: number;
}

/** Rows that were read from the table. Sessions report them when they close. */
async function reads(least: number): Promise<Reads> {
  for (;;) {
    const now = await queryOne<Reads>(`
SELECT idx_scan::int AS looks, seq_tup_read::int AS sequential, idx_tup_fetch::int AS fetched, n_tup_upd::int AS updated
FROM pg_stat_all_tables WHERE relname = 'schedules' AND schemaname = 'runledger'`);
    if (now.looks >= least) return now;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

test("claiming among many schedules that are not due reads few rows and writes nothing", async () => {
  const first = await PostgresStore.open({ url: database.url });
  await first.schedules.claimDue({ limit: 20, holdMs: 1000 }); // while the table is empty
  await queryOne(`
INSERT INTO runledger.schedules (tenant_id, schedule_id, definition, next_tick, due_at, waiting)
SELECT 'acme', 's' || n, '{}', now() + n * interval '1 hour', now() + n * interval '1 hour', false
FROM generate_series(1, ${SCHEDULES}) AS n`);
  await queryOne("ANALYZE runledger.schedules"); // as the server does itself after some time
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
