// @module-tag H-21
/** Runs are read through the cache of the process. Regardless of its content, the store decides what is current (F10). */
import { newEvent, type Json } from "@runledger/contracts";
import { connect, openMetrics, type Ledger } from "@runledger/runtime";
import { cacheReads } from "@runledger/test-support/cache-reads";
import { testServer } from "@runledger/test-support/test-server";
import { until } from "@runledger/test-support/until";
import { expect, onTestFinished, test } from "vitest";
import { createApiKey } from "../auth/api-keys.js";

const SECRET = "zebra";

const event = (eventType: string, fields: { stepId?: string; logicalAttemptId?: string; eventData?: Json } = {}) =>
  newEvent({ runId: "run", eventType, planVersion: "1", ...fields });

async function finish(ledger: Ledger, tenantId = "acme"): Promise<void> {
  const step = { stepId: "a" };
  await ledger.store
    .forTenant(tenantId)
    .appendEvents([
      event("RunStarted"),
      event("StepStarted", step),
      event("StepCompleted", { ...step, eventData: { output: SECRET } }),
      event("RunCompleted", { eventData: { outputFrom: "a" } }),
    ]);
  await projected(ledger);
}

async function projected({ store }: Ledger): Promise<void> {
  const [head] = await store.fetchHeads(["run"]);
  const stored = () => store.snapshots.readProjection({ runId: "run", stepIds: [] });
  await until(async () => (await stored())?.header.lastEventSeq === head!.headSeq);
}

async function served(options: { encryption?: { keys: string } } = {}) {
  const ledger = await connect("memory:", { metrics: await openMetrics(), ...options });
  onTestFinished(() => ledger.close());
  ledger.projector();
  const server = await testServer([], { ledger });
  await finish(ledger);
  const reader = async (role: "viewer" | "admin", tenantId = "acme") => {
    const params = { tenantId, role, name: role, createdBy: "test", ttlMs: null };
    const headers = { authorization: `Bearer ${(await createApiKey(ledger.store.access, params)).text}` };
    return async (path = "/runs/run") => {
      const response = await server.call("GET", path, undefined, headers);
      return { status: response.status, body: (await response.json()) as Record<string, unknown> };
    };
  };
  return { ...server, ledger, reader };
}

test("a run and its steps are read once from the store, and then from the cache", async () => {
  const { ledger, reader } = await served();
  const read = await reader("admin");
  for (const path of ["/runs/run", "/runs/run/steps", "/runs/run/steps?limit=1&after=0"]) {
    const first = await read(path);
    expect(await read(path)).toEqual(first);
    expect(first.status).toBe(200);
  }
  expect(await cacheReads(ledger)).toEqual({ miss: 3, hit: 3 });
  const families = await ledger.metrics!.read();
  const bytes = families.find(({ name }) => name === "runledger_cache_bytes")!.samples[0]!.value;
  expect(bytes).toBeGreaterThan(1000);
});

test("a new event makes the entry outdated", async () => {
  const { ledger, reader } = await served();
  const read = await reader("admin");
  await read();
  await ledger.store.appendEvents([event("RunReopened")]);
  await projected(ledger);
  expect(await read()).toMatchObject({ body: { lastEventSeq: 5, status: "PENDING" } });
  expect(await cacheReads(ledger)).toEqual({ miss: 1, outdated: 1 });
});

test("a run whose projection is behind is read from its log, and is not cached", async () => {
  const ledger = await connect("memory:", { metrics: await openMetrics() });
  onTestFinished(() => ledger.close());
  const { call } = await testServer([], { ledger });
  await ledger.store.appendEvents([event("RunStarted")]);
  for (let round = 0; round < 2; round++)
    expect(await (await call("GET", "/runs/run")).json()).toMatchObject({ lastEventSeq: 1 });
  expect(await cacheReads(ledger)).toEqual({ behind: 2 });
});

test("an erased run is not served from the cache", async () => {
  const { ledger, reader } = await served();
  const read = await reader("admin");
  expect(await read()).toMatchObject({ body: { output: SECRET } });
  expect(await read()).toMatchObject({ body: { output: SECRET } });
  await ledger.store.erasure.eraseRun({ runId: "run", by: "test", reason: "request" });
  expect(JSON.stringify([await read(), await read()])).not.toContain(SECRET);
});

test("a deleted run is not served from the cache", async () => {
  const { ledger, reader } = await served();
  const read = await reader("admin");
  await read();
  const { archive, retention } = ledger.store;
  await until(async () => (await archive.archiveRun("run")).archived); // once the projector's cursor has passed it
  expect(await retention.deleteRun("run")).toMatchObject({ deleted: true });
  expect(await read()).toMatchObject({ status: 404, body: { code: "RUN_NOT_FOUND" } });
});

test("a rebuilt projection replaces the entry", async () => {
  const { ledger, reader } = await served();
  const read = await reader("admin");
  const { body } = await read();
  const stored = await ledger.store.snapshots.readProjection({ runId: "run", stepIds: ["a"] });
  const header = { ...stored!.header, labels: { rebuilt: "yes" } };
  await ledger.store.derived.replaceProjection({ header, steps: stored!.steps, keyframes: [] });
  expect(body).not.toHaveProperty("labels");
  expect(await read()).toMatchObject({ body: { labels: { rebuilt: "yes" } } });
});

test("a run in the cache does not exist for other tenants", async () => {
  const { reader } = await served();
  await (
    await reader("admin")
  )();
  expect(await (await reader("admin", "beta"))()).toMatchObject({ status: 404 });
});

test("readers without the right to payloads do not share entries with others", async () => {
  const { ledger, reader } = await served({
    encryption: { keys: `k1:${Buffer.alloc(32, 7).toString("base64")}` },
  });
  const [admin, viewer] = [await reader("admin"), await reader("viewer")];
  for (let round = 0; round < 2; round++) {
    expect(await admin()).toMatchObject({ body: { output: SECRET } });
    expect(JSON.stringify(await viewer())).not.toContain(SECRET);
  }
  expect(await cacheReads(ledger)).toEqual({ miss: 2, hit: 2 });
});

test("without a cache, every read goes to the store", async () => {
  const ledger = await connect("memory:", { metrics: await openMetrics() });
  onTestFinished(() => ledger.close());
  ledger.projector();
  const { call } = await testServer([], { ledger, cache: { url: "none:" } });
  await finish(ledger, "default");
  for (let round = 0; round < 2; round++)
    expect(await (await call("GET", "/runs/run")).json()).toMatchObject({ output: SECRET });
  expect(await cacheReads(ledger)).toEqual({});
});
