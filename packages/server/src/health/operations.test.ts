// @module-tag U-16
import { setTimeout as sleep } from "node:timers/promises";
import { ALL_TENANTS, newEvent } from "@runledger/contracts";
import { workflow } from "@runledger/runtime";
import { Ledger } from "@runledger/runtime/ledger/ledger";
import { interceptStore } from "@runledger/runtime/testing/intercept-store";
import { MemoryStore } from "@runledger/store-memory";
import { Client } from "pg";
import { expect, onTestFinished, test } from "vitest";
import { freshDatabase } from "@runledger/test-support/fresh-database";
import { testServer, TOKEN, type TestServer } from "@runledger/test-support/test-server";
import { createApiKey } from "../auth/api-keys.js";

const flow = workflow("flow", { version: "1" }, (w) => w.step("one", () => 1));

async function withSql(url: string, statement: string): Promise<void> {
  const sql = new Client({ connectionString: url });
  await sql.connect();
  await sql.query(statement);
  await sql.end();
}

async function scrape({ server }: TestServer, token = TOKEN): Promise<Response> {
  return fetch(`${server.url}/metrics`, { headers: { authorization: `Bearer ${token}` } });
}

test("the probes report that the server is alive, and whether and why it is not ready", async () => {
  const database = await freshDatabase();
  onTestFinished(() => database.drop());
  const { server, ledger } = await testServer([flow], { store: database.url });
  const ask = async (path: string) => {
    const response = await fetch(server.url + path);
    return [response.status, await response.json()];
  };
  expect(await ask("/healthz")).toEqual([200, { status: "alive" }]);
  expect(await ask("/readyz")).toEqual([200, { ready: true, notReady: [] }]);
  await ledger.store.close();
  const away = { part: "store", reason: "the store does not respond" };
  expect(await ask("/readyz")).toEqual([503, { ready: false, notReady: [away] }]);
  expect((await ask("/healthz"))[0]).toBe(200);
});

test("K5: an append whose key is stored with another payload is counted", { tags: ["R-10"] }, async () => {
  const database = await freshDatabase();
  onTestFinished(() => database.drop());
  const world = await testServer([flow], { store: database.url });
  const { store } = world.ledger;
  const append = (from: Pick<typeof store, "appendEvent">, rows: number) =>
    from.appendEvent(newEvent({ runId: "r", eventType: "RunStarted", planVersion: "1", eventData: { rows } }));
  const counted = async () => /^runledger_append_conflicts_total (\d+)$/m.exec(await (await scrape(world)).text())?.[1];
  await append(store, 1);
  await append(store, 1);
  expect(await counted()).toBe("0"); // the same payload is a repetition, not a conflict
  expect(await append(store, 2)).toMatchObject({ idempotent: true, conflict: true });
  await append(store.forTenant("default"), 3);
  expect(await counted()).toBe("2");
});

test("metrics name no tenant, and the key of one tenant cannot read them", { tags: ["U-14"] }, async () => {
  const world = await testServer([flow]);
  const { ledger, client } = world;
  ledger.projector();
  await ledger.worker({ workflows: [flow] });
  await (await ledger.start(flow, { tenantId: "zebra" })).result();
  await expect
    .poll(() => scrape(world).then((response) => response.text()))
    .toContain("runledger_projector_saves_total");
  await client.listRuns();
  const response = await scrape(world);
  expect(response.headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8");
  const text = await response.text();
  for (const part of [
    /^runledger_appended_events_total [1-9]/m,
    /^runledger_append_seconds_bucket\{le="\+Inf"\} [1-9]/m,
    /^runledger_http_requests_total\{operation="listRuns",status="200"\} 1$/m,
    /^runledger_live_workers 1$/m,
    /^# TYPE runledger_http_request_seconds histogram$/m,
  ])
    expect(text).toMatch(part);
  expect(text).not.toContain("zebra");
  const keyFor = async (tenantId: string) => {
    const params = { name: "scraper", role: "viewer" as const, tenantId, ttlMs: null, createdBy: "test" };
    return (await createApiKey(ledger.store.access, params)).text;
  };
  expect((await scrape(world, await keyFor(ALL_TENANTS))).status).toBe(200);
  expect((await scrape(world, await keyFor("zebra"))).status).toBe(403);
  expect((await scrape(world, "none")).status).toBe(401);
});

test("a server whose ledger collects no metrics reports how to collect them", async () => {
  const ledger = new Ledger(new MemoryStore(), async () => {});
  onTestFinished(() => ledger.close());
  const response = await scrape(await testServer([flow], { ledger }));
  expect(response.status).toBe(404);
  expect(await response.text()).toContain("openMetrics()");
});

test("the health route reports the state of this process", { tags: ["U-10"] }, async () => {
  const world = await testServer([flow]);
  const { ledger, client, call } = world;
  const projector = ledger.projector();
  await ledger.worker({ workflows: [flow] });
  await (await ledger.start(flow)).result();
  await expect.poll(async () => (await client.getHealth()).projector?.eventsTotal).toBeGreaterThan(0);
  const health = await client.getHealth();
  expect(health).toMatchObject({ ready: true, notReady: [], workers: { alive: 1, lost: 0 }, alerts: [] });
  expect(health.appends?.total).toBeGreaterThan(0);
  await projector.stop();
  const params = { name: "v", role: "viewer" as const, tenantId: "acme", ttlMs: null, createdBy: "test" };
  const { text } = await createApiKey(ledger.store.access, params);
  const seen = await (await call("GET", "/health", undefined, { authorization: `Bearer ${text}` })).json();
  expect(seen).toMatchObject({ ready: true, appends: null, openStreams: null, projector: { eventsTotal: null } });
});

test("the health route measures the round trip to the store", { tags: ["U-10", "R-11"] }, async () => {
  const slow = interceptStore(new MemoryStore(), async ({ proceed }) => {
    await sleep(30);
    return proceed();
  });
  const ledger = new Ledger(slow, async () => {});
  onTestFinished(() => ledger.close());
  const { client } = await testServer([flow], { ledger });
  expect((await client.getHealth()).store.roundTripMs).toBeGreaterThan(28); // a timer may fire a little early
});

test(
  "an alert of the projector reaches the health route with a remedy, for its tenant only",
  { tags: ["U-10", "R-11"] },
  async () => {
    const database = await freshDatabase();
    onTestFinished(() => database.drop());
    const { ledger, client, call } = await testServer([flow], { store: database.url });
    const acme = ledger.store.forTenant("acme");
    const event = (eventType: string) => newEvent({ runId: "torn", eventType, planVersion: "1" });
    await acme.appendEvents(["RunQueued", "RunStarted", "RunCompleted"].map(event));
    await withSql(database.url, "DELETE FROM runledger.run_events WHERE run_id = 'torn' AND run_seq = 2");
    const printed: string[] = [];
    ledger.projector({ onAlert: ({ code }) => printed.push(code) });
    await expect.poll(async () => (await client.getHealth()).alerts.length).toBe(1);
    const [alert] = (await client.getHealth()).alerts;
    expect(alert).toMatchObject({ code: "PROJECTOR_GAP_DETECTED", severity: "critical", runId: "torn" });
    expect(alert!.remedy).toContain("runledger store verify");
    expect(printed).toEqual(["PROJECTOR_GAP_DETECTED"]);
    const seenBy = async (tenantId: string) => {
      const params = { name: tenantId, role: "viewer" as const, tenantId, ttlMs: null, createdBy: "test" };
      const { text } = await createApiKey(ledger.store.access, params);
      const response = await call("GET", "/health", undefined, { authorization: `Bearer ${text}` });
      return ((await response.json()) as { alerts: { code: string }[] }).alerts.map(({ code }) => code);
    };
    expect(await seenBy("acme")).toEqual(["PROJECTOR_GAP_DETECTED"]);
    expect(await seenBy("other")).toEqual([]);
  },
);

test(
  "a schedule that cannot fire is reported to its tenant, and the others fire",
  { tags: ["R-08", "R-11"] },
  async () => {
    const database = await freshDatabase();
    onTestFinished(() => database.drop());
    const { ledger, call } = await testServer([flow], { store: database.url });
    const other = workflow("lost", { version: "1" }, (w) => w.step("one", () => 1));
    await ledger.schedules.put({ id: "broken", tenantId: "acme", workflow: other, every: "1s" });
    await ledger.schedules.put({ id: "sound", tenantId: "acme", workflow: flow, every: "1s", overlap: "allow" });
    await withSql(database.url, "DELETE FROM runledger.plans WHERE plan_id = 'lost'");
    const scheduler = ledger.scheduler({ onFault: () => {}, pollMs: 20 });
    onTestFinished(() => scheduler.stop());
    await expect.poll(() => ledger.alerts.length).toBe(1);
    const sound = async () => (await ledger.schedules.get("sound", { tenantId: "acme" }))?.last?.outcome;
    await expect.poll(sound).toBe("started");
    const seenBy = async (tenantId: string) => {
      const params = { name: tenantId, role: "viewer" as const, tenantId, ttlMs: null, createdBy: "test" };
      const { text } = await createApiKey(ledger.store.access, params);
      const response = await call("GET", "/health", undefined, { authorization: `Bearer ${text}` });
      return ((await response.json()) as { alerts: { code: string; message: string }[] }).alerts;
    };
    const [alert] = await seenBy("acme");
    expect(alert).toMatchObject({ code: "SCHEDULE_FAILED" });
    expect(alert!.message).toContain("schedule broken could not fire: Plan lost 1 is not in the store.");
    expect(await seenBy("other")).toEqual([]);
  },
);
