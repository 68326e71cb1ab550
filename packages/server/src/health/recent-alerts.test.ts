// @module-tag B-22
/** A server shows the alerts of other processes on the same store, each tenant its own. */
import type { FullStateStore } from "@runledger/contracts";
import { workflow } from "@runledger/runtime";
import { Ledger } from "@runledger/runtime/ledger/ledger";
import { MemoryStore } from "@runledger/store-memory";
import { testServer } from "@runledger/test-support/test-server";
import { until } from "@runledger/test-support/until";
import { expect, onTestFinished, test } from "vitest";
import { createApiKey } from "../auth/api-keys.js";

const waiting = workflow("waiting", { version: "1" }, (w) => w.waitForSignal("go"));

/** Opens another ledger on the same store, as another process would. */
function another(store: FullStateStore): Ledger {
  const ledger = new Ledger(store, async () => {});
  onTestFinished(() => ledger.close());
  return ledger;
}

/** Lets a worker of the ledger raise SIGNALS_UNTAKEN. */
async function raise(ledger: Ledger, tenantId: string): Promise<void> {
  const before = ledger.alerts.length;
  const run = await ledger.start(waiting, { tenantId });
  await ledger.signal(run.id, "late", null);
  await ledger.signal(run.id, "go", null);
  await until(() => ledger.alerts.length > before);
}

async function scene(store: FullStateStore = new MemoryStore()) {
  const [server, worker] = [another(store), another(store)];
  await worker.worker({ workflows: [waiting], onAlert: () => {} });
  const { client, call } = await testServer([waiting], { ledger: server });
  const alerts = async () => (await client.getHealth()).alerts;
  const seenBy = async (tenantId: string) => {
    const params = { name: tenantId, role: "viewer" as const, tenantId, ttlMs: null, createdBy: "test" };
    const { text } = await createApiKey(store.access, params);
    const response = await call("GET", "/health", undefined, { authorization: `Bearer ${text}` });
    return ((await response.json()) as { alerts: Awaited<ReturnType<typeof alerts>> }).alerts;
  };
  return { server, worker, alerts, seenBy };
}

test("an alert of a worker process appears in the health of a server, for its tenant only", async () => {
  const { worker, server, alerts, seenBy } = await scene();
  await raise(worker, "acme");
  await until(async () => (await alerts()).length === 1);
  expect(server.alerts).toEqual([]);
  const [alert] = await alerts();
  expect(alert).toMatchObject({ code: "SIGNALS_UNTAKEN", severity: "warning" });
  expect(alert!.process).toContain(`-${process.pid}`);
  expect(alert!.remedy).toContain("waits for these signals");
  const [own] = await seenBy("acme");
  expect(own).toMatchObject({ code: "SIGNALS_UNTAKEN", runId: alert!.runId });
  expect(own).not.toHaveProperty("process");
  expect(await seenBy("beta")).toEqual([]);
});

test("an alert of the server itself appears once, although the store has it, too", async () => {
  const store = new MemoryStore();
  const server = another(store);
  await server.worker({ workflows: [waiting], onAlert: () => {} });
  const { client } = await testServer([waiting], { ledger: server });
  await raise(server, "default");
  await until(async () => (await store.alerts.listAlerts({ withinMs: 60_000, limit: 10 })).length === 1);
  expect((await client.getHealth()).alerts).toHaveLength(1);
});

test("a store without the port works: a server shows its own alerts only", async () => {
  const store: FullStateStore = new MemoryStore();
  Object.defineProperty(store, "alerts", { value: undefined });
  const { worker, server, alerts } = await scene(store);
  await raise(worker, "default");
  expect(await alerts()).toEqual([]);
  expect(server.alerts).toEqual([]);
  expect(worker.alerts).toHaveLength(1);
});
