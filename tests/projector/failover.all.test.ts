// @module-tag R-09
/** A projector continues while the store goes back to an earlier state, as after a failover that lost its last moments. */
import { Client } from "pg";
import { afterEach, beforeEach, expect, test } from "vitest";
import { newEvent, type NewEvent } from "@runledger/contracts";
import { PostgresStore } from "@runledger/store-postgres";
import { freshDatabase, type FreshDatabase } from "@runledger/test-support/fresh-database";
import type { Running } from "@runledger/test-support/runledger-command";
import { until } from "@runledger/test-support/until";
import { isStopped, said, startProjector } from "./projector-process.js";

let database: FreshDatabase;
let store: PostgresStore;
let sql: Client;

beforeEach(async () => {
  database = await freshDatabase();
  store = await PostgresStore.open({ url: database.url });
  sql = new Client({ connectionString: database.url });
  await sql.connect();
});
afterEach(async () => {
  await sql.end();
  await store.close();
  await database.drop();
});

const event = (runId: string, stepId: string): NewEvent =>
  newEvent({ runId, eventType: "StepStarted", stepId, planVersion: "1", planId: "p" });

const many = (name: string, count: number): string[] => Array.from({ length: count }, (_, n) => `${name}-${n}`);

async function record(runIds: readonly string[], stepId = "a"): Promise<void> {
  for (const runId of runIds) await store.appendEvent(event(runId, stepId));
}

async function areCurrent(runIds: readonly string[]): Promise<boolean> {
  for (const runId of runIds) {
    const [stored, folded] = [await store.getSnapshot(runId), await store.projectSnapshot(runId)];
    if (stored?.lastEventSeq !== folded.lastEventSeq) return false;
    expect(stored).toEqual(folded);
  }
  return true;
}

/** Runs a statement for every table of the ledger; `%1$I` is its name. */
const forEachTable = (statement: string): string => `
DO $$
DECLARE
  name text;
BEGIN
  FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = 'runledger' AND tablename <> 'migrations' LOOP
    EXECUTE format($sql$${statement}$sql$, name);
  END LOOP;
END $$`;

const FEED_ID = "pg_get_serial_sequence('runledger.change_feed', 'id')";

/** Copies the whole state. Returns a function that restores it, sequence included. */
async function backup(): Promise<() => Promise<void>> {
  await sql.query("CREATE SCHEMA earlier");
  await sql.query(forEachTable("CREATE TABLE earlier.%1$I AS SELECT * FROM runledger.%1$I"));
  const { rows } = await sql.query<{ id: string }>("SELECT last_value AS id FROM runledger.change_feed_id_seq");
  const restored = "INSERT INTO runledger.%1$I OVERRIDING SYSTEM VALUE SELECT * FROM earlier.%1$I";
  return async () => {
    await sql.query(forEachTable(`DELETE FROM runledger.%1$I; ${restored}`));
    await sql.query(`SELECT setval(${FEED_ID}, $1)`, [rows[0]!.id]);
  };
}

async function suspend(projector: Running): Promise<void> {
  projector.kill("SIGSTOP");
  await until(() => isStopped(projector));
}

for (const [what, later] of [
  ["is below the cursor", 5],
  ["is above the cursor again", 60],
] as const)
  test(`runs are projected after the feed went back and its end ${what}`, async () => {
    const kept = many("kept", 8);
    const projector = startProjector(database.url);
    await until(() => said(projector).partitions.length > 0);
    await record(kept);
    await until(() => areCurrent(kept));
    const restore = await backup();
    await record([...many("lost", 30), ...kept], "lost");
    await until(() => areCurrent([...many("lost", 30), ...kept]));
    await suspend(projector);
    await restore();
    const fresh = many("new", later);
    await record([...kept, ...fresh], "b"); // the kept runs get another event with the seq of the lost one
    projector.kill("SIGCONT");
    await until(() => areCurrent([...kept, ...fresh]));
    expect((await store.getSnapshot("kept-0"))?.steps.map(({ stepId }) => stepId)).toEqual(["a", "b"]);
    await record([...kept, ...fresh], "c");
    await until(() => areCurrent([...kept, ...fresh]));
  });

test("runs are projected after only the feed and its sequence went back", async () => {
  const projector = startProjector(database.url);
  await until(() => said(projector).partitions.length > 0);
  await record(many("old", 20));
  await until(() => areCurrent(many("old", 20)));
  const cursors = "SELECT count(*)::int AS saved FROM runledger.feed_followers WHERE last_id = 20";
  await until(async () => (await sql.query<{ saved: number }>(cursors)).rows[0]!.saved === 8);
  await suspend(projector);
  await sql.query("DELETE FROM runledger.change_feed");
  await sql.query(`SELECT setval(${FEED_ID}, 3)`);
  await record(many("new", 12));
  projector.kill("SIGCONT");
  await until(() => areCurrent(many("new", 12)));
});
