// @module-tag R-09
/** A server that refuses writes: a standby after a failover, or a server in maintenance (P7). */
import { expect, onTestFinished, test } from "vitest";
import { newEvent } from "@runledger/contracts";
import { query, withDatabase } from "@runledger/test-support/databases";
import { freshDatabase, startOwnServer } from "@runledger/test-support/fresh-database";
import { until } from "@runledger/test-support/until";
import { PostgresStore } from "./index.js";

const event = (runId: string) => newEvent({ runId, eventType: "RunStarted", planVersion: "1" });
const refusal = { code: "STORE_UNAVAILABLE", message: expect.stringContaining("Nothing was written") as string };

/** More calls at once than the pool has connections, so that every connection of a busy process is used. */
async function appendMany(store: PostgresStore, prefix: string): Promise<PromiseSettledResult<unknown>[]> {
  const calls = Array.from({ length: 12 }, (_, index) => store.appendEvent(event(`${prefix}-${index}`)));
  return Promise.allSettled([...calls, store.fetchHeads(["a"])]);
}

test("connections that were made while the server was read-only are not used afterwards", async () => {
  const database = await freshDatabase();
  onTestFinished(() => database.drop());
  const name = new URL(database.url).pathname.slice(1);
  const admin = (text: string) => query(withDatabase(database.url, "postgres"), text);
  const others = `FROM pg_stat_activity WHERE datname = '${name}'`;
  const store = await PostgresStore.open({ url: database.url });
  onTestFinished(() => store.close());

  await admin(`ALTER DATABASE ${name} SET default_transaction_read_only = on`);
  await admin(`SELECT pg_terminate_backend(pid) ${others}`);
  await until(async () => (await admin(`SELECT 1 ${others}`)).length === 0);
  await appendMany(store, "first"); // these find the terminated connections
  for (const outcome of await appendMany(store, "refused")) expect(outcome).toMatchObject({ reason: refusal });
  await until(async () => (await admin(`SELECT 1 ${others}`)).length === 0);

  await admin(`ALTER DATABASE ${name} SET default_transaction_read_only = off`);
  for (const { status } of await appendMany(store, "stored")) expect(status).toBe("fulfilled");
  expect((await store.listHeads()).map(({ runId }) => runId).filter((runId) => !runId.startsWith("stored"))).toEqual(
    [],
  );
});

test("a connection whose server becomes read-only is given up, and the error states that nothing was written", async () => {
  const server = await startOwnServer();
  const database = await server.freshDatabase();
  const store = await PostgresStore.open({ url: database.url });
  onTestFinished(async () => {
    await store.close();
    await server.stop();
  });
  const writable = `${withDatabase(database.url, "postgres")}?options=-c%20default_transaction_read_only%3Doff`;
  const admin = (text: string) => query<{ pid: number }>(writable, text);
  const pids = async () => {
    const rows = await admin(
      "SELECT pid FROM pg_stat_activity WHERE query LIKE '%runledger%' AND pid <> pg_backend_pid()",
    );
    return rows.map(({ pid }) => pid);
  };
  await store.appendEvent(event("before"));
  const before = await pids();
  expect(before).toHaveLength(1);

  await admin("ALTER SYSTEM SET default_transaction_read_only = on");
  await admin("SELECT pg_reload_conf()");
  await until(async () => (await store.appendEvent(event("before")).catch(() => null)) === null);
  await expect(store.appendEvent(event("during"))).rejects.toMatchObject(refusal);
  await expect(store.archive.archiveRun("before")).rejects.toMatchObject(refusal);

  await admin("ALTER SYSTEM RESET default_transaction_read_only");
  await admin("SELECT pg_reload_conf()");
  await until(() =>
    store.appendEvent(event("after")).then(
      () => true,
      () => false,
    ),
  );
  expect(before).not.toContain((await pids())[0]);
  expect((await store.listHeads()).map(({ runId }) => runId)).toEqual(["after", "before"]);
});
