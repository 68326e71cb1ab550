// @module-tag R-12
import { newEvent, sha256Hex } from "@runledger/contracts";
import { freshDatabase } from "@runledger/test-support/fresh-database";
import { Client } from "pg";
import { afterAll, expect, onTestFinished, test } from "vitest";
import { PostgresStore } from "./index.js";

const database = await freshDatabase();
const store = await PostgresStore.open({ url: database.url });
afterAll(async () => {
  await store.close();
  await database.drop();
});

test("an append leaves the lease of its run to its worker, until the run ends", async () => {
  const client = new Client({ connectionString: database.url });
  await client.connect();
  onTestFinished(() => client.end());
  const ownerOf = async () => (await client.query("SELECT lease_owner FROM runledger.run_heads")).rows as unknown[];
  const event = (eventType: string) => newEvent({ runId: "run", eventType, planId: "nightly", planVersion: "1" });
  const rest = { tenantId: "acme", startKey: sha256Hex("run"), inputHash: "none", logFormat: 1, priority: 0 };
  await store.queue.startRun({ event: event("RunQueued"), ...rest });
  await store.leases.heartbeat({ workerId: "w", ttlMs: 600_000 });
  const plans = [{ planId: "nightly", planVersion: "1" }];
  const { runs } = await store.queue.claimRuns({ workerId: "w", plans, logFormat: 1, limit: 1 });
  const fence = runs[0]!.epoch;
  await store.appendEvents([event("RunStarted")], { fence });
  expect(await ownerOf()).toEqual([{ lease_owner: "w" }]);
  await store.appendEvents([event("RunCompleted")], { fence, ends: true });
  expect(await ownerOf()).toEqual([{ lease_owner: null }]);
});
