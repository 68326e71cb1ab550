// @module-tag R-07
/** O1: reads in the worker's process cannot delay its heartbeats. */
import { Client } from "pg";
import { connect, workflow } from "runledger";
import { expect, onTestFinished, test } from "vitest";
import { query } from "@runledger/test-support/databases";
import { freshDatabase } from "@runledger/test-support/fresh-database";
import { until } from "@runledger/test-support/until";

test("a worker keeps its lease and claims runs while 400 reads of its process occupy the pool", async () => {
  const database = await freshDatabase();
  const ledger = await connect(database.url);
  const blocker = new Client({ connectionString: database.url });
  onTestFinished(async () => {
    await blocker.end();
    await ledger.close();
    await database.drop();
  });
  const started: string[] = [];
  const waits = workflow("waits", { version: "1" }, (w) =>
    w.step("wait", ({ runId }) => {
      started.push(runId);
      return new Promise<null>(() => {});
    }),
  );
  const worker = await ledger.worker({ workflows: [waits], leaseMs: 2000 });
  const run = await ledger.start(waits);
  await until(() => started.length === 1);

  await blocker.connect();
  await blocker.query("BEGIN; LOCK TABLE runledger.access_keys"); // only the reads use this table
  const reads = Array.from({ length: 400 }, () => ledger.store.access.listKeys({ tenantId: "default" }));
  const read = Promise.allSettled(reads);
  const value = async (text: string): Promise<unknown> =>
    Object.values((await query(database.url, `SELECT (${text})::text`))[0]!)[0];
  const seen = new Set<unknown>();
  const heartbeat = "SELECT expires_at FROM runledger.workers";
  await until(async () => seen.add(await value(heartbeat)).size > 4); // its lease lasts for three
  await using other = await connect(database.url);
  const next = await other.start(waits);
  const owner = `SELECT lease_owner FROM runledger.run_heads WHERE run_id = '${next.id}'`;
  await until(async () => (await value(owner)) === worker.id);
  await blocker.query("COMMIT");
  for (const { status } of await read) expect(status).toBe("fulfilled");
  expect((await other.store.fetchEvents(run.id)).map(({ eventType }) => eventType)).not.toContain("RunTakenOver");
  expect(started.filter((runId) => runId === run.id)).toHaveLength(1);
  void worker.stop();
  await worker.stop(); // does not wait for the step
});
