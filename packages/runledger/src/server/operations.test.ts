import { ALL_TENANTS } from "@runledger/contracts";
import { workflow } from "runledger";
import { expect, onTestFinished, test } from "vitest";
import { freshDatabase } from "../../../../tests/support/fresh-database.js";
import { testServer, TOKEN, type TestServer } from "../../../../tests/support/test-server.js";
import { createApiKey } from "./access/api-keys.js";
import { renderMetrics } from "./metrics/render.js";

const flow = workflow("flow", { version: "1" }, (w) => w.step("one", () => 1));

async function scrape({ server }: TestServer, token = TOKEN): Promise<Response> {
  return fetch(`${server.url}/metrics`, { headers: { authorization: `Bearer ${token}` } });
}

test("[U-16] a server says that it lives, whether it is ready, and what is not", async () => {
  const database = await freshDatabase();
  onTestFinished(() => database.drop());
  const { server, ledger } = await testServer([flow], { store: database.url });
  const ask = async (path: string) => {
    const response = await fetch(server.url + path);
    return [response.status, await response.json()];
  };
  expect(await ask("/healthz")).toEqual([200, { status: "alive" }]);
  expect(await ask("/readyz")).toEqual([200, { ready: true, notReady: [] }]);
  ledger.metrics.gauge("runledger_projector_lag_seconds", "Lag.").set(61);
  const behind = { part: "projector", reason: "projections are 61 s behind the log" };
  expect(await ask("/readyz")).toEqual([503, { ready: false, notReady: [behind] }]);
  ledger.metrics.gauge("runledger_projector_lag_seconds", "Lag.").set(0);
  await ledger.store.close();
  const away = { part: "store", reason: "the store does not answer" };
  expect(await ask("/readyz")).toEqual([503, { ready: false, notReady: [away] }]);
  expect((await ask("/healthz"))[0]).toBe(200);
});

test("[U-16] [U-14] metrics are counted, and tell nothing of a tenant; a tenant's own key does not see them", async () => {
  const world = await testServer([flow]);
  const { ledger, client } = world;
  ledger.projector();
  await ledger.worker({ workflows: [flow] });
  await (await ledger.start(flow, undefined, { tenantId: "zebra" })).result();
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
    const wanted = { name: "scraper", role: "viewer" as const, tenantId, ttlMs: null, createdBy: "test" };
    return (await createApiKey(ledger.store.access, wanted)).text;
  };
  expect((await scrape(world, await keyFor(ALL_TENANTS))).status).toBe(200);
  expect((await scrape(world, await keyFor("zebra"))).status).toBe(403);
  expect((await scrape(world, "none")).status).toBe(401);
});

test("what a label holds cannot break out of it", () => {
  const samples = [{ labels: { path: 'a"b\\c\nd' }, value: 1 }];
  expect(renderMetrics([{ name: "x_total", help: "X\nY.", kind: "counter", samples }])).toBe(
    '# HELP x_total X\\nY.\n# TYPE x_total counter\nx_total{path="a\\"b\\\\c\\nd"} 1\n',
  );
});

test("[U-10] the console's page of health: what this process knows, and alerts with what to do", async () => {
  const world = await testServer([flow]);
  const { ledger, client, call } = world;
  const projector = ledger.projector({ onAlert: () => {} });
  await ledger.worker({ workflows: [flow] });
  await (await ledger.start(flow)).result();
  await expect.poll(async () => (await client.getHealth()).projector?.eventsTotal).toBeGreaterThan(0);
  const health = await client.getHealth();
  expect(health).toMatchObject({ ready: true, notReady: [], workers: { alive: 1, lost: 0 }, alerts: [] });
  expect(health.appends?.total).toBeGreaterThan(0);
  expect(health.store.roundTripMs).toBeGreaterThanOrEqual(0);
  await projector.stop();
  const wanted = { name: "v", role: "viewer" as const, tenantId: "acme", ttlMs: null, createdBy: "test" };
  const { text } = await createApiKey(ledger.store.access, wanted);
  const seen = await (await call("GET", "/health", undefined, { authorization: `Bearer ${text}` })).json();
  expect(seen).toMatchObject({ ready: true, appends: null, openStreams: null, projector: { eventsTotal: null } });
});
