import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { Client } from "pg";
import { afterEach, beforeEach, expect, test } from "vitest";
import { newEvent } from "@runledger/contracts";
import { freshDatabase, type FreshDatabase } from "../../../tests/support/fresh-database.js";
import { PostgresStore } from "./index.js";
import { loadMigrations } from "./migrate.js";

const run = promisify(execFile);
let database: FreshDatabase;

beforeEach(async () => {
  database = await freshDatabase();
});
afterEach(() => database.drop());

async function query(text: string): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: database.url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(text)).rows;
  } finally {
    await client.end();
  }
}

/** What the migrations made, as PostgreSQL sees it. */
const dump = `
SELECT line FROM (
  SELECT 1 AS kind, c.relname || ' ' || a.attnum AS name, a.attnum AS place, c.relname AS relation,
    c.relname || '.' || a.attname || ' ' || format_type(a.atttypid, a.atttypmod)
      || CASE WHEN a.attcollation = 'pg_catalog."C"'::regcollation THEN ' COLLATE "C"' ELSE '' END
      || CASE WHEN a.attnotnull THEN ' NOT NULL' ELSE '' END
      || coalesce(' DEFAULT ' || pg_get_expr(d.adbin, d.adrelid), '') AS line
  FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
  WHERE c.relnamespace = 'runledger'::regnamespace AND c.relkind IN ('r', 'p') AND a.attnum > 0 AND NOT a.attisdropped
  UNION ALL
  SELECT 2, indexname, 0, tablename, indexdef FROM pg_indexes WHERE schemaname = 'runledger'
  UNION ALL
  SELECT 3, p.proname, 0, '', 'function ' || p.proname || ' md5 ' || md5(p.prosrc) FROM pg_proc p WHERE p.pronamespace = 'runledger'::regnamespace
) AS lines ORDER BY kind, relation, place, name`;

test("[L-21] the schema that the migrations make is the one on record", async () => {
  await (await PostgresStore.open({ url: database.url })).close();
  const lines = (await query(dump)).map(({ line }) => line);
  await expect(`${lines.join("\n")}\n`).toMatchFileSnapshot("../schema-dump.txt");
});

test("[L-21] ten processes migrating at once: each migration is applied once, and all ten can write", async () => {
  const script = `
    import { PostgresStore } from "@runledger/store-postgres";
    import { newEvent } from "@runledger/contracts";
    const store = await PostgresStore.open({ url: process.argv[1] });
    const { runSeq } = await store.appendEvent(newEvent({ runId: "run-" + process.pid, eventType: "RunStarted", planVersion: "1" }));
    await store.close();
    console.log(runSeq);`;
  const starts = Array.from({ length: 10 }, () =>
    run(process.execPath, ["--input-type=module", "-e", script, database.url]),
  );
  expect((await Promise.all(starts)).map(({ stdout }) => stdout)).toEqual(Array(10).fill("1\n"));
  const applied = (await query("SELECT id FROM runledger.migrations ORDER BY id")).map(({ id }) => id);
  expect(applied).toEqual((await loadMigrations()).map(({ id }) => id));
});

test("[L-21] opening again changes nothing; migrate: false opens what is up to date", async () => {
  await (await PostgresStore.open({ url: database.url })).close();
  const before = await query("SELECT * FROM runledger.migrations ORDER BY id");
  await (await PostgresStore.open({ url: database.url })).close();
  await (await PostgresStore.open({ url: database.url, migrate: false })).close();
  expect(await query("SELECT * FROM runledger.migrations ORDER BY id")).toEqual(before);
});

test("[L-21] migrate: false refuses a database that is behind, and leaves it alone", async () => {
  await expect(PostgresStore.open({ url: database.url, migrate: false })).rejects.toMatchObject({
    code: "SCHEMA_BEHIND",
  });
  expect(await query("SELECT 1 FROM pg_namespace WHERE nspname = 'runledger'")).toEqual([]);
});

test("[L-21] expand/contract: a newer schema that still allows this code is used; one that does not is refused", async () => {
  await (await PostgresStore.open({ url: database.url })).close();
  const known = (await loadMigrations()).length;
  await query(`INSERT INTO runledger.migrations (id, name, oldest_code) VALUES (${known + 1}, 'expand', ${known})`);
  const older = await PostgresStore.open({ url: database.url });
  expect(await older.appendEvent(newEvent({ runId: "r", eventType: "RunStarted", planVersion: "1" }))).toMatchObject({
    runSeq: 1,
  });
  await older.close();
  await query(
    `INSERT INTO runledger.migrations (id, name, oldest_code) VALUES (${known + 2}, 'contract', ${known + 1})`,
  );
  for (const migrate of [true, false]) {
    const refused = PostgresStore.open({ url: database.url, migrate });
    await expect(refused).rejects.toMatchObject({ code: "SCHEMA_TOO_NEW", family: "stop" });
    await expect(refused).rejects.toThrow(/needs code that knows schema .* Upgrade @runledger\/store-postgres/);
  }
});

test("[L-21] every migration declares the oldest code it allows, and they are numbered from 1", async () => {
  const migrations = await loadMigrations();
  expect(migrations.map(({ id }) => id)).toEqual(migrations.map((_, index) => index + 1));
  for (const { id, oldestCode } of migrations)
    expect(oldestCode).toSatisfy((oldest: number) => oldest >= 1 && oldest <= id);
});

test("[L-21] A2: hash partitions, chosen when the schema is made, carry the keys", async () => {
  const store = await PostgresStore.open({ url: database.url, partitions: 4 });
  const events = Array.from({ length: 40 }, (_, i) =>
    newEvent({ runId: `run-${i}`, eventType: "RunStarted", planVersion: "1" }),
  );
  await store.appendEvents(events);
  expect((await store.appendEvents(events)).every(({ idempotent }) => idempotent)).toBe(true);
  const parts = await query("SELECT tableoid::regclass::text AS part FROM runledger.run_events GROUP BY 1 ORDER BY 1");
  expect(parts.map(({ part }) => String(part).split(".").at(-1))).toEqual([0, 1, 2, 3].map((i) => `run_events_p${i}`));
  expect((await store.fetchEvents("run-7")).length).toBe(1);
  await store.close();
});

test("[L-21] a number of partitions that makes no sense is refused before anything is made", async () => {
  await expect(PostgresStore.open({ url: database.url, partitions: 1.5 })).rejects.toMatchObject({
    code: "OPTION_INVALID",
    field: "partitions",
  });
  expect(await query("SELECT 1 FROM pg_namespace WHERE nspname = 'runledger'")).toEqual([]);
});
