// @module-tag L-21
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { afterEach, beforeEach, expect, test } from "vitest";
import { newEvent } from "@runledger/contracts";
import { freshDatabase, type FreshDatabase } from "@runledger/test-support/fresh-database";
import { PostgresStore } from "./index.js";
import { loadMigrations, migrationScript } from "./migrate.js";
import { query } from "@runledger/test-support/databases";

const run = promisify(execFile);
let database: FreshDatabase;

beforeEach(async () => {
  database = await freshDatabase({ migrated: false });
});
afterEach(() => database.drop());

test("ten processes migrate at once: each migration is applied once, and all ten can write", async () => {
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
  const applied = (await query(database.url, "SELECT id FROM runledger.migrations ORDER BY id")).map(({ id }) => id);
  expect(applied).toEqual((await loadMigrations()).map(({ id }) => id));
});

test("opening again changes nothing, and migrate: false opens a current database", async () => {
  await (await PostgresStore.open({ url: database.url })).close();
  const before = await query(database.url, "SELECT * FROM runledger.migrations ORDER BY id");
  await (await PostgresStore.open({ url: database.url })).close();
  await (await PostgresStore.open({ url: database.url, migrate: false })).close();
  expect(await query(database.url, "SELECT * FROM runledger.migrations ORDER BY id")).toEqual(before);
});

test("migrate: false refuses a database that is behind and does not change it", async () => {
  await expect(PostgresStore.open({ url: database.url, migrate: false })).rejects.toMatchObject({
    code: "SCHEMA_BEHIND",
  });
  expect(await query(database.url, "SELECT 1 FROM pg_namespace WHERE nspname = 'runledger'")).toEqual([]);
});

test("a newer schema is used if it still allows this code, and refused otherwise", async () => {
  await (await PostgresStore.open({ url: database.url })).close();
  const known = (await loadMigrations()).length;
  await query(
    database.url,
    `INSERT INTO runledger.migrations (id, name, oldest_code) VALUES (${known + 1}, 'expand', ${known})`,
  );
  const older = await PostgresStore.open({ url: database.url });
  expect(await older.appendEvent(newEvent({ runId: "r", eventType: "RunStarted", planVersion: "1" }))).toMatchObject({
    runSeq: 1,
  });
  await older.close();
  await query(
    database.url,
    `INSERT INTO runledger.migrations (id, name, oldest_code) VALUES (${known + 2}, 'contract', ${known + 1})`,
  );
  for (const migrate of [true, false]) {
    const refused = PostgresStore.open({ url: database.url, migrate });
    await expect(refused).rejects.toMatchObject({ code: "SCHEMA_TOO_NEW", family: "stop" });
    await expect(refused).rejects.toThrow(/needs code that knows schema .* Upgrade @runledger\/store-postgres/);
  }
});

test("migrations are numbered from 1 and declare the oldest code they allow", async () => {
  const migrations = await loadMigrations();
  expect(migrations.map(({ id }) => id)).toEqual(migrations.map((_, index) => index + 1));
  for (const { id, oldestCode } of migrations)
    expect(oldestCode).toSatisfy((oldest: number) => oldest >= 1 && oldest <= id);
});

test("A2: hash partitions, chosen when the schema is created, enforce the keys", async () => {
  const store = await PostgresStore.open({ url: database.url, partitions: 4 });
  const events = Array.from({ length: 40 }, (_, i) =>
    newEvent({ runId: `run-${i}`, eventType: "RunStarted", planVersion: "1" }),
  );
  await store.appendEvents(events);
  expect((await store.appendEvents(events)).every(({ idempotent }) => idempotent)).toBe(true);
  const parts = await query(
    database.url,
    "SELECT tableoid::regclass::text AS part FROM runledger.run_events GROUP BY 1 ORDER BY 1",
  );
  expect(parts.map(({ part }) => String(part).split(".").at(-1))).toEqual([0, 1, 2, 3].map((i) => `run_events_p${i}`));
  expect((await store.fetchEvents("run-7")).length).toBe(1);
  await store.close();
});

test(
  "A2: the URL names the number of partitions, and another number is refused later",
  { tags: ["R-10"] },
  async () => {
    const withPartitions = (count: number | string): string => `${database.url}?partitions=${count}`;
    const open = async (url: string): Promise<void> => (await PostgresStore.open({ url })).close();
    await open(withPartitions(3));
    const parts = "SELECT inhrelid FROM pg_inherits WHERE inhparent = 'runledger.run_events'::regclass";
    expect(await query(database.url, parts)).toHaveLength(3);
    await open(database.url);
    await open(withPartitions(3));
    for (const other of [0, 4])
      await expect(open(withPartitions(other))).rejects.toThrow(/but the log of this database has 3/);
    expect(await migrationScript(withPartitions(3))).toMatch(/^SET runledger\.partitions = '3';\n/);
  },
);

test("an invalid number of partitions is refused before anything is created", async () => {
  for (const options of [
    { partitions: 1.5 },
    { url: `${database.url}?partitions=many` },
    { url: `${database.url}?partitions=` },
  ])
    await expect(PostgresStore.open({ url: database.url, ...options })).rejects.toMatchObject({
      code: "OPTION_INVALID",
      field: "partitions",
    });
  expect(await query(database.url, "SELECT 1 FROM pg_namespace WHERE nspname = 'runledger'")).toEqual([]);
});
