// @module-tag H-05
/** The requests of idle processes on a table with 10,000 waiting runs. docs/guides/dynamodb.md has the same numbers. */
import { setTimeout as sleep } from "node:timers/promises";
import { dynamoVariables, requireDynamoDb } from "@runledger/test-support/dynamodb-local";
import { describeWith } from "@runledger/test-support/requirements";
import { serviceAddress } from "@runledger/test-support/service-address";
import { connect, workflow } from "runledger";
import { beforeAll, expect, onTestFinished, test } from "vitest";
import type { WriteAction } from "../src/actions.js";
import { DynamoStore } from "../src/index.js";
import { putItems } from "../src/items.js";
import { newRow } from "../src/queue-effects.js";
import { writeRow } from "../src/queue-rows.js";
import { openTable } from "../src/store.js";

const WAITING = 10_000;
const AT_ONCE = 500;
const PLAN = { planId: "nightly", planVersion: "1.0.0" };
const HOUR_MS = 3_600_000;
const WORKER = "idle";

/** Half of the runs wait for a time, the others until they are woken, and every tenth holds a concurrency key. */
async function addWaitingRuns(endpoint: string, table: string): Promise<void> {
  const client = await openTable({ endpoint, table });
  const now = client.clock.now();
  const rows = Array.from({ length: WAITING }, (_, n) => {
    const key = n % 10 === 0 ? { concurrencyKey: `key-${n}` } : {};
    const place = { ...PLAN, logFormat: 1, priority: 0, ...key };
    const row = newRow(place, { runId: `run-${n}`, tenantId: `tenant-${n % 20}`, now: now - HOUR_MS });
    return { ...row, startedAt: now - HOUR_MS, availableAt: n % 2 === 0 ? now + HOUR_MS + n : Infinity, tick: null };
  });
  for (let start = 0; start < WAITING; start += AT_ONCE) {
    const actions = await Promise.all(rows.slice(start, start + AT_ONCE).map((row) => writeRow(client, null, row)));
    await putItems(client, actions.flat().flatMap(itemOf));
  }
  client.close();
}

const itemOf = (action: WriteAction) => (action.kind === "put" ? [action.item] : []);

/** Requests of one minute. docs/guides/dynamodb.md lists them. */
const PER_MINUTE = { worker: 1260, server: 3600 };
const WINDOW_MS = 10_000;

describeWith("10,000 waiting runs in DynamoDB Local", requireDynamoDb, () => {
  let endpoint = "";
  const table = `idle-${process.pid}-${Date.now()}`;
  beforeAll(async () => {
    Object.assign(process.env, dynamoVariables);
    endpoint = await serviceAddress("dynamodb");
    await addWaitingRuns(endpoint, table);
  }, 1_200_000);

  async function opened(): Promise<DynamoStore> {
    const store = await DynamoStore.open({ endpoint, table });
    onTestFinished(() => store.close());
    return store;
  }

  test("cost nothing in the calls that an idle process repeats", async () => {
    const store = await opened();
    const cost = async (call: () => Promise<unknown>): Promise<number> => {
      const before = store.requests;
      await call();
      return store.requests - before;
    };
    await store.leases.heartbeat({ workerId: WORKER, ttlMs: HOUR_MS, plans: [PLAN], logFormat: 1 });
    const claim = { workerId: WORKER, plans: [PLAN], logFormat: 1, limit: 100 };
    const cursor = await store.feed.openFollower("idle/0");
    expect((await store.queue.claimRuns(claim)).runs).toEqual([]);
    expect((await store.queue.countQueue()).reduce((sum, { waiting }) => sum + waiting, 0)).toBe(WAITING);
    expect({
      claimRuns: await cost(() => store.queue.claimRuns(claim)),
      heldRuns: await cost(() => store.queue.heldRuns(WORKER)),
      heartbeat: await cost(() => store.leases.heartbeat({ workerId: WORKER, ttlMs: HOUR_MS })),
      readChanges: await cost(() => store.feed.readChanges(cursor)),
      attend: await cost(() => store.feed.attend({ group: "idle", member: WORKER, ttlMs: 1000 })),
      claimDue: await cost(() => store.schedules.claimDue({ limit: 10, holdMs: 1000 })),
      hasSubscriptions: await cost(() => store.outbox.hasSubscriptions()),
      claimDeliveries: await cost(() => store.outbox.claimDeliveries({ token: "t", holdMs: 1, perSubscription: 1 })),
    }).toEqual({
      claimRuns: 2,
      heldRuns: 1,
      heartbeat: 1,
      readChanges: 4,
      attend: 2,
      claimDue: 1,
      hasSubscriptions: 1,
      claimDeliveries: 1,
    });
  });

  test("listing plans without a worker costs as much as there are tenants with open runs, not runs", async () => {
    const store = await opened();
    await store.leases.heartbeat({ workerId: WORKER, ttlMs: HOUR_MS, plans: [PLAN], logFormat: 1 });
    const before = store.requests;
    expect(await store.plans.listUnserved()).toEqual([]);
    expect(store.requests - before).toBeLessThanOrEqual(22); // workers, 20 tenants, and the end
    await store.leases.retireWorker(WORKER);
  });

  async function requestsPerMinute(store: DynamoStore): Promise<number> {
    await sleep(3_000); // the first requests of a process are others
    const [requests, since] = [store.requests, performance.now()];
    await sleep(WINDOW_MS);
    return ((store.requests - requests) * 60_000) / (performance.now() - since);
  }

  const url = (): string => `dynamodb://local/${table}?endpoint=${encodeURIComponent(endpoint)}`;

  test("an idle worker sends no more requests than documented", async () => {
    await using ledger = await connect(url());
    const idle = workflow("idle", { version: "1.0.0" }, (w) => w.step("a", () => 1));
    await ledger.worker({ workflows: [idle] });
    const perMinute = await requestsPerMinute(ledger.store as unknown as DynamoStore);
    expect(perMinute).toBeGreaterThan(0);
    expect(perMinute).toBeLessThanOrEqual(PER_MINUTE.worker);
  });

  test("an idle server sends no more requests than documented", async () => {
    await using ledger = await connect(url());
    ledger.projector();
    ledger.outbox();
    ledger.scheduler();
    ledger.consumers();
    ledger.cleaner();
    const perMinute = await requestsPerMinute(ledger.store as unknown as DynamoStore);
    expect(perMinute).toBeGreaterThan(0);
    expect(perMinute).toBeLessThanOrEqual(PER_MINUTE.server);
  });
});
