// @module-tag R-12
import { newEvent, sha256Hex, type Limit, type RunStart } from "@runledger/contracts";
import { freshDatabase } from "@runledger/test-support/fresh-database";
import { afterAll, beforeEach, expect, test } from "vitest";
import { PostgresStore } from "./index.js";

const database = await freshDatabase();
const store = await PostgresStore.open({ url: database.url });
beforeEach(() => database.empty());
afterAll(async () => {
  await store.close();
  await database.drop();
});

type Place = Partial<Pick<RunStart, "tenantId" | "projectId" | "concurrencyKey">> & { readonly planId?: string };

function start(runId: string, { planId = "nightly", tenantId = "acme", ...place }: Place) {
  const event = newEvent({ runId, eventType: "RunQueued", planId, planVersion: "1" });
  const rest = { tenantId, startKey: sha256Hex(runId), inputHash: "none", logFormat: 1, priority: 0 };
  return store.queue.startRun({ event, ...rest, ...place });
}

test.each<Pick<Limit, "scope" | "subject"> & { counted: Place; others: readonly Place[] }>([
  { scope: "tenant", subject: "acme", counted: {}, others: [{ tenantId: "other" }] },
  {
    scope: "project",
    subject: "acme|web",
    counted: { projectId: "web" },
    others: [{ projectId: "app" }, { tenantId: "other", projectId: "web" }],
  },
  { scope: "workflow", subject: "nightly", counted: {}, others: [{ planId: "hourly" }] },
  {
    scope: "concurrencyKey",
    subject: "acme|k",
    counted: { concurrencyKey: "k" },
    others: [{ concurrencyKey: "l" }, { tenantId: "other", concurrencyKey: "k" }],
  },
])("a limit of waiting runs counts exactly those of its $scope", async ({ scope, subject, counted, others }) => {
  await store.limits.setLimit({ scope, subject, maxRunning: null, rate: null, maxQueued: 2, priority: null });
  for (const [at, other] of [...others, ...others, ...others].entries()) await start(`other-${at}`, other);
  await start("first", counted);
  await start("second", counted);
  await expect(start("third", counted)).rejects.toMatchObject({ code: "QUEUE_FULL", target: { scope, subject } });
});

test("runs that wait for a concurrency key hold back no run without it", async () => {
  const key: Limit = {
    scope: "concurrencyKey",
    subject: "acme|k",
    maxRunning: 1,
    rate: null,
    maxQueued: null,
    priority: null,
  };
  await store.limits.setLimit(key);
  for (const runId of ["a-1", "a-2", "a-3"]) await start(runId, { concurrencyKey: "k" });
  for (const runId of ["b-1", "b-2", "b-3"]) await start(runId, { tenantId: "other" });
  await store.leases.heartbeat({ workerId: "w", ttlMs: 600_000 });
  const claimed: string[] = [];
  for (let turn = 0; turn < 5; turn++) {
    const plans = [{ planId: "nightly", planVersion: "1" }];
    const { runs } = await store.queue.claimRuns({ workerId: "w", plans, logFormat: 1, limit: 1 });
    claimed.push(...runs.map(({ runId }) => runId));
  }
  expect(claimed.toSorted()).toEqual(["a-1", "b-1", "b-2", "b-3"]);
});
