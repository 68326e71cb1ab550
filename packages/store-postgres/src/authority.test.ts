// @module-tag H-10
/** The append authority of a database: chosen when its schema is created, and the cleanup of its sequences (P10). */
import { newEvent, type NewEvent } from "@runledger/contracts";
import { query } from "@runledger/test-support/databases";
import { freshDatabase, type FreshDatabase } from "@runledger/test-support/fresh-database";
import { afterEach, beforeEach, expect, test } from "vitest";
import { authorityFor } from "./authority.js";
import { connect } from "./client.js";
import { migrationScript, PostgresStore } from "./index.js";
import { loadMigrations } from "./migrate.js";
import { sequenceCleaner } from "./run-sequences.js";
import { timeLimits } from "./time-limits.js";

let database: FreshDatabase;

beforeEach(async () => void (database = await freshDatabase({ migrated: false })));
afterEach(() => database.drop());

const withAuthority = (authority: string): string => `${database.url}?authority=${authority}`;
const run = (runId: string, eventType: string): NewEvent => newEvent({ runId, eventType, planVersion: "1" });

test("the URL names the authority of a new database, and another one is refused later", async () => {
  const open = async (url: string): Promise<boolean> => {
    await using store = await PostgresStore.open({ url });
    return store.capabilities.contiguous && store.settling === undefined;
  };
  expect(await open(withAuthority("sequence"))).toBe(false);
  expect(await open(database.url)).toBe(false);
  await expect(open(withAuthority("head"))).rejects.toThrow(/authority: is head, but this database has sequence/);
  const migrate = false;
  await expect(PostgresStore.open({ url: database.url, authority: "redis", migrate })).rejects.toMatchObject({
    code: "OPTION_INVALID",
    field: "authority",
  });
});

test("an existing log keeps its authority, and the default one leaves no gaps", async () => {
  await using store = await PostgresStore.open({ url: database.url });
  expect(store.capabilities.contiguous).toBe(true);
  expect(store.settling).toBeUndefined();
  await expect(PostgresStore.open({ url: withAuthority("sequence") })).rejects.toThrow(/but this database has head/);
});

test("an authority that does not exist, or Redis without its URL, is refused", async () => {
  for (const [url, field] of [
    [withAuthority("zookeeper"), "authority"],
    [withAuthority(""), "authority"],
    [`${withAuthority("redis")}&redis=http://host`, "redis"],
  ] as const)
    await expect(PostgresStore.open({ url })).rejects.toMatchObject({ code: "OPTION_INVALID", field });
  expect(await query(database.url, "SELECT 1 FROM pg_namespace WHERE nspname = 'runledger'")).toEqual([]);
  await expect(PostgresStore.open({ url: withAuthority("redis") })).rejects.toThrow(/redis: is missing/);
  const url = `${withAuthority("redis")}&redis=${encodeURIComponent("redis://:secret@host:6379/2")}`;
  expect(authorityFor(url, {})).toEqual({ authority: "redis", redis: "redis://:secret@host:6379/2" });
});

test("code that knows only the default authority cannot open the database", async () => {
  await (await PostgresStore.open({ url: withAuthority("sequence") })).close();
  const { id } = (await loadMigrations()).find(({ name }) => name.endsWith("-append-authority"))!;
  expect(await query(database.url, "SELECT max(oldest_code) AS oldest FROM runledger.migrations")).toEqual([
    { oldest: id },
  ]);
  expect(await migrationScript(withAuthority("sequence"))).toMatch(/^SET runledger\.authority = 'sequence';\n/);
});

/** Finished runs are projected by hand; all rows look older than a minute. */
const AGE = `
UPDATE runledger.run_sequence_registry SET made_at = made_at - interval '1 hour';
UPDATE runledger.run_heads SET persisted_at = persisted_at - interval '1 hour';
INSERT INTO runledger.run_snapshots (run_id, status, last_event_seq, header)
SELECT run_id, CASE WHEN run_id LIKE 'done-%' THEN 'COMPLETED' ELSE 'RUNNING' END, head_seq, '{}' FROM runledger.run_heads
ON CONFLICT DO NOTHING`;

test("sequences of finished, archived and deleted runs are dropped in bounded steps, and none repeats a number", async () => {
  await using store = await PostgresStore.open({ url: withAuthority("sequence") });
  const done = Array.from({ length: 150 }, (_, index) => `done-${String(index).padStart(3, "0")}`);
  const runs = [...done, "archived", "deleted", "live"];
  await store.appendEvents(runs.flatMap((runId) => [run(runId, "RunStarted"), run(runId, "RunCompleted")]));
  const sequences = async (): Promise<number> => {
    const [row] = await query<{ n: string }>(
      database.url,
      "SELECT count(*) AS n FROM pg_sequences WHERE sequencename LIKE 'run_seq_%'",
    );
    return Number(row!.n);
  };
  const db = await connect({
    url: database.url,
    poolSize: 1,
    connectTimeoutMs: 30_000,
    ...timeLimits(database.url, {}),
  });
  const step = sequenceCleaner(db);
  expect([await step(), await step()]).toEqual([0, 0]); // nothing is older than a minute
  await query(database.url, AGE);
  await query(
    database.url,
    `UPDATE runledger.run_heads SET archived_at = now() WHERE run_id = 'archived';
     DELETE FROM runledger.run_heads WHERE run_id = 'deleted'`,
  );
  expect(await sequences()).toBe(153);
  expect([await step(), await step(), await step()]).toEqual([100, 52, 0]); // the live run keeps its sequence
  await db.close();
  expect(await sequences()).toBe(1);
  expect(await store.appendEvents([run("done-007", "RunReopened")])).toMatchObject([{ runSeq: 3 }]);
  expect(await sequences()).toBe(2);
});

test("retention cleans up, too, and an open draw keeps its sequence", async () => {
  await using store = await PostgresStore.open({ url: withAuthority("sequence") });
  await store.appendEvents([run("done-1", "RunStarted"), run("done-2", "RunStarted")]);
  await query(database.url, AGE);
  const db = await connect({
    url: database.url,
    poolSize: 1,
    connectTimeoutMs: 30_000,
    ...timeLimits(database.url, {}),
  });
  await db.transaction(async (session) => {
    const draw = "SELECT numbers FROM runledger.draw_numbers('{done-1}', '{1}', '{1}')";
    await session.run({ name: "", text: draw });
    await store.retention.purge();
  });
  await db.close();
  expect(await query(database.url, "SELECT run_id FROM runledger.run_sequence_registry")).toEqual([
    { run_id: "done-1" },
  ]);
});
