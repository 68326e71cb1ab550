/** A queue that is longer than one request reads: runs that cannot start do not hide others. */
import { dynamoVariables, requireDynamoDb } from "@runledger/test-support/dynamodb-local";
import { describeWith } from "@runledger/test-support/requirements";
import { serviceAddress } from "@runledger/test-support/service-address";
import { beforeAll, expect, onTestFinished, test } from "vitest";
import type { WriteAction } from "../src/actions.js";
import { DynamoStore } from "../src/index.js";
import { putItems } from "../src/items.js";
import { newRow } from "../src/queue-effects.js";
import { writeRow, type QueueRow } from "../src/queue-rows.js";
import { openTable } from "../src/store.js";
import { headKey } from "../src/table.js";

const PLAN = { planId: "nightly", planVersion: "1.0.0" };
const OTHER = { planId: "hourly", planVersion: "1.0.0" };
const MANY = 400;

interface Added {
  readonly tenantId: string;
  readonly plan?: typeof PLAN;
  readonly concurrencyKey?: string;
  readonly parts?: Partial<QueueRow>;
}

describeWith("a long queue in DynamoDB Local", requireDynamoDb, () => {
  let endpoint = "";
  let tables = 0;
  beforeAll(async () => {
    Object.assign(process.env, dynamoVariables);
    endpoint = await serviceAddress("dynamodb");
  });

  /** Writes runs directly, because starting them one by one takes minutes. */
  async function queueOf(added: Readonly<Record<string, Added>>) {
    const table = `long-${process.pid}-${++tables}`;
    const client = await openTable({ endpoint, table });
    const now = client.clock.now();
    for (const [runId, { tenantId, plan = PLAN, concurrencyKey, parts = {} }] of Object.entries(added)) {
      const key = concurrencyKey === undefined ? {} : { concurrencyKey };
      const row = newRow({ ...plan, logFormat: 1, priority: 0, ...key }, { runId, tenantId, now: now - 1000 });
      const head = { headSeq: 1, leaseEpoch: 0, persistedAt: now, lane: 0, laneN: 0 };
      rows.push({ ...headKey(runId), runId, tenantId, ...head });
      rows.push(...(await writeRow(client, null, { ...row, tick: null, ...parts })).flatMap(itemOf));
    }
    await putItems(client, rows.splice(0));
    client.close();
    const store = await DynamoStore.open({ endpoint, table });
    onTestFinished(() => store.close());
    await store.leases.heartbeat({ workerId: "w", ttlMs: 600_000 });
    const claim = { workerId: "w", plans: [PLAN], logFormat: 1, limit: 4 };
    return async () => (await store.queue.claimRuns(claim)).runs.map(({ runId }) => runId);
  }
  const rows: Parameters<typeof putItems>[1][number][] = [];
  const itemOf = (action: WriteAction) => (action.kind === "put" ? [action.item] : []);
  const many = (name: string, one: Added) =>
    Object.fromEntries(Array.from({ length: MANY }, (_, n) => [`${name}-${String(n).padStart(4, "0")}`, one]));

  test("a tenant with many queued runs does not hide the run of another tenant", async () => {
    const claim = await queueOf({ ...many("a", { tenantId: "a" }), small: { tenantId: "z" } });
    const claimed = await claim();
    expect(claimed).toHaveLength(4);
    expect(claimed).toContain("small");
  });

  test("runs of a plan that the worker does not know do not hide its own", async () => {
    const claim = await queueOf({ ...many("a", { tenantId: "a", plan: OTHER }), known: { tenantId: "a" } });
    expect(await claim()).toEqual(["known"]);
  });

  test("runs that wait for a concurrency key do not hide the run of a free one", async () => {
    const holder = { owner: "w", slot: true, startedAt: 1, queuedAt: 1 };
    const claim = await queueOf({
      holder: { tenantId: "a", concurrencyKey: "busy", parts: holder },
      ...many("a", { tenantId: "a", concurrencyKey: "busy" }),
      free: { tenantId: "a", concurrencyKey: "free" },
    });
    expect(await claim()).toEqual(["free"]);
    expect(await claim()).toEqual([]);
  });

  test("an operator's action is found behind many queued runs", async () => {
    const asked = { tenantId: "z", parts: { actsAt: 1 } };
    const claim = await queueOf({ ...many("a", { tenantId: "a" }), asked });
    expect(await claim()).toContain("asked");
  });
});
