// @module-tag L-22
/**
 * A race that the concurrent clients found, step by step: a run that must exist is created after the slow append took
 * its first snapshot and before it takes its second. Its head was not locked, so the append must not write to it: in
 * this test a lease starts in between, and the unfenced append would get past it (P2, P4).
 */
import { newEvent, type NewEvent } from "@runledger/contracts";
import { prepareCall } from "@runledger/core/store";
import { PostgresStore } from "@runledger/store-postgres";
import { Client } from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { appendSlow } from "../src/append-slow.js";
import type { Database } from "../src/client.js";
import { freshDatabase, type FreshDatabase } from "@runledger/test-support/fresh-database";

let database: FreshDatabase;
let store: PostgresStore;
const sessions: Client[] = [];

beforeAll(async () => {
  database = await freshDatabase();
  store = await PostgresStore.open({ url: database.url });
});
afterAll(async () => {
  await Promise.all(sessions.map((client) => client.end()));
  await store.close();
  await database.drop();
});

async function session(): Promise<Client> {
  const client = new Client({ connectionString: database.url });
  await client.connect();
  sessions.push(client);
  return client;
}

const step = (runId: string, stepId: string): NewEvent =>
  newEvent({ runId, stepId, eventType: "StepStarted", planVersion: "1.0.0" });

/** Runs only the slow append, in its own session: the fast one would wait before it. */
function appendSlowly(client: Client, events: readonly NewEvent[]): Promise<unknown> {
  const write: Database["write"] = async ({ text }, values = []) =>
    (await client.query<unknown[]>({ text, values: [...values], rowMode: "array" })).rows;
  return appendSlow(write, prepareCall(events, { mustExist: true }).runs);
}

async function pidOf(client: Client): Promise<number> {
  const { rows } = await client.query<{ pid: number }>("SELECT pg_backend_pid() AS pid");
  return rows[0]!.pid;
}

/** Waits until one session blocks the other, or `done` returns `true`. */
async function untilBlocked(blocked: number, by: number, done = (): boolean => false): Promise<void> {
  const watcher = await session();
  for (let look = 0; look < 10_000 && !done(); look++) {
    const { rows } = await watcher.query<{ yes: boolean }>("SELECT $2 = ANY (pg_blocking_pids($1)) AS yes", [
      blocked,
      by,
    ]);
    if (rows[0]?.yes === true) return;
  }
}

test("P2 P4: a run that appears between the two statements of the slow append is not written to", async () => {
  const [writer, locker, owner] = await Promise.all([session(), session(), session()]);
  const [writing, locking, owning] = await Promise.all([writer, locker, owner].map(pidOf));
  await store.appendEvent(step("a", "s1"));
  await locker.query("BEGIN");
  await locker.query("SELECT FROM runledger.run_heads WHERE run_id = 'a' FOR UPDATE");
  let settled = false;
  const call = appendSlowly(writer, [step("a", "s2"), step("b", "late")]).finally(() => (settled = true));
  await untilBlocked(writing!, locking!); // on a; b is not in the snapshot that it waits with

  await store.appendEvent(step("b", "made"));
  await owner.query("BEGIN");
  await owner.query("UPDATE runledger.run_heads SET lease_epoch = 1, lease_owner = 'w' WHERE run_id = 'b'");
  await locker.query("COMMIT");
  await untilBlocked(writing!, owning!, () => settled);
  await owner.query("COMMIT");

  await call;
  expect((await store.fetchEvents("b")).map((event) => event.stepId)).toEqual(["made"]);
});
