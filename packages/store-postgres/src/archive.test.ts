// @module-tag R-12
/** A1: what must hold under the head lock before a run is moved to the archive. */
import { Client } from "pg";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { newEvent, type NewEvent } from "@runledger/contracts";
import { isTerminal } from "@runledger/core";
import { startOwnServer, type FreshDatabase, type OwnServer } from "@runledger/test-support/fresh-database";
import { archiveRun } from "./archive.js";
import { connect } from "./client.js";
import { PostgresStore } from "./index.js";
import { timeLimits } from "./time-limits.js";

let server: OwnServer; // transactions of other tests on the same server would hold xmin back
let database: FreshDatabase;
let store: PostgresStore;
let sql: Client;

beforeAll(async () => void (server = await startOwnServer()));
afterAll(() => server.stop());

beforeEach(async () => {
  database = await server.freshDatabase();
  store = await PostgresStore.open({ url: database.url });
  sql = new Client({ connectionString: database.url });
  await sql.connect();
  return async () => {
    await sql.end();
    await store.close();
    await database.drop();
  };
});

const event = (runId: string, eventType: string): NewEvent => newEvent({ runId, eventType, planVersion: "1" });

async function archived(): Promise<number> {
  const { rows } = await sql.query<{ n: number }>("SELECT count(*)::int AS n FROM runledger.run_events_archive");
  return rows[0]!.n;
}

test("a run whose last change is in a follower's hole is not archived", async () => {
  const late = new Client({ connectionString: database.url });
  await late.connect();
  await late.query("BEGIN");
  await late.query(
    "INSERT INTO runledger.run_heads (run_id, tenant_id, head_seq, persisted_at) VALUES ('late', 'default', 1, now())",
  );
  await late.query(
    `INSERT INTO runledger.run_events (run_id, run_seq, event_id, logical_attempt_id, event_type, event_data,
       idempotency_key, emitted_at, persisted_at, plan_version)
     VALUES ('late', 1, gen_random_uuid(), '1', 'RunCompleted', '{}', 'key', now(), now(), '1')`,
  );
  await late.query("INSERT INTO runledger.change_feed (run_ids, head_seqs) VALUES ('{late}', '{1}')");
  await store.appendEvent(event("early", "RunCompleted"));
  const page = await store.feed.readChanges(await store.feed.openFollower("f"));
  expect(page.changes.map(({ runId }) => runId)).toEqual(["early"]);
  const saved = await store.feed.saveCursor(page.cursor);
  await late.query("COMMIT");
  await late.end();
  expect(await store.archive.archiveRun("late")).toEqual({ runId: "late", archived: false, reason: "followed" });
  expect(await archived()).toBe(0);
  await store.feed.saveCursor((await store.feed.readChanges(saved!)).cursor);
  expect(await store.archive.archiveRun("late")).toMatchObject({ archived: true });
});

test("a run whose head moved after it was folded is not archived", async () => {
  await store.appendEvents([event("r", "RunStarted"), event("r", "RunCompleted")]);
  const db = await connect({
    url: database.url,
    poolSize: 2,
    connectTimeoutMs: 30_000,
    ...timeLimits(database.url, {}),
  });
  const log = Object.create(store, {
    projectSnapshot: {
      value: async (runId: string) => {
        const folded = await store.projectSnapshot(runId);
        expect(isTerminal(folded.status)).toBe(true);
        await store.appendEvent(event("r", "RunReopened")); // between the fold and the lock
        return folded;
      },
    },
  }) as PostgresStore;
  expect(await archiveRun(db, log, "r")).toEqual({ runId: "r", archived: false, reason: "changed" });
  expect(await archived()).toBe(0);
  expect(await store.fetchEvents("r")).toHaveLength(3);
  await db.close();
});
