// @module-tag B-06
/** Triggers over HTTP: management, and events that their senders sign. */
import { createHmac } from "node:crypto";
import type { AccessRole } from "@runledger/contracts";
import { workflow } from "@runledger/runtime";
import { testServer } from "@runledger/test-support/test-server";
import { until } from "@runledger/test-support/until";
import { expect, test } from "vitest";
import { z } from "zod";
import { createApiKey } from "../auth/api-keys.js";

const flow = workflow("orders", { version: "1", input: z.object({ n: z.number() }) }, (w) => w.step("one", () => 1));
const KEYS: Readonly<Record<string, string>> = {
  key: `whsec_${Buffer.from("the first key of the tests").toString("base64")}`,
  other: "plain text as a key",
};
const webhook = { type: "webhook", secrets: ["key"] };

interface Sent {
  readonly id?: string;
  readonly body?: unknown;
  readonly key?: string;
  readonly ageSeconds?: number;
  readonly headers?: Record<string, string>;
  readonly path?: string;
  readonly signature?: (real: string) => string;
}

async function served() {
  const world = await testServer([flow]);
  world.ledger.triggers.use({
    secrets: { resolve: async (refs) => Object.fromEntries(refs.map(({ name }) => [name, KEYS[name]!])) },
  });
  const put = (id: string, parts: object = {}, tenantId = "default") =>
    world.ledger.triggers.put({ id, tenantId, source: webhook, workflow: "orders", ...parts });
  const send = async (sent: Sent = {}) => {
    const { id = "msg_1", key = "key", ageSeconds = 0, headers = {}, path = "/triggers/t/events" } = sent;
    const body = typeof sent.body === "string" ? sent.body : JSON.stringify(sent.body ?? { n: 1 });
    const timestamp = String(Math.floor(Date.now() / 1000) - ageSeconds);
    const secret = KEYS[key]!;
    const bytes = secret.startsWith("whsec_") ? Buffer.from(secret.slice(6), "base64") : Buffer.from(secret);
    const real = `v1,${createHmac("sha256", bytes).update(`${id}.${timestamp}.${body}`).digest("base64")}`;
    const response = await fetch(`${world.server.url}/api/v1${path}`, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        "webhook-id": id,
        "webhook-timestamp": timestamp,
        "webhook-signature": sent.signature?.(real) ?? real,
        ...headers,
      },
      body,
    });
    return {
      status: response.status,
      ...((await response.json()) as { runId?: string; outcome?: string; code?: string }),
    };
  };
  const runs = async (tenantId = "default") => (await world.ledger.list({ tenantId }).page({ limit: 100 })).runs;
  return { ...world, put, send, runs };
}

test("a trigger is created, read, paused, resumed, tested and deleted", async () => {
  const { client, call } = await served();
  const made = await client.putTrigger("t", { source: webhook, workflow: "orders", filter: "event.data.n > 0" });
  expect(made).toMatchObject({ triggerId: "t", state: "active", started: 0, maxAttempts: 5, rejections: [] });
  expect(Object.keys(made)).not.toContain("tenantId");
  expect((await client.pauseTrigger("t")).state).toBe("paused");
  expect((await client.resumeTrigger("t")).pausedAt).toBeNull();
  expect(await client.testTrigger("t", { event: { n: 1 } })).toMatchObject({ outcome: "start", input: { n: 1 } });
  expect(await client.testTrigger("t", { event: { n: 0 } })).toEqual({ outcome: "skipped" });
  expect(await client.testTrigger("t", { event: { n: "x" } })).toMatchObject({ outcome: "rejected" });
  await client.putTrigger("b", { source: { type: "elsewhere" }, workflow: "orders" });
  expect((await client.listTriggers({ limit: 1 })).next).toBe("b");
  expect(await client.listTriggers({ after: "b" })).toMatchObject({ items: [{ triggerId: "t" }] });
  await client.removeTrigger("t");
  for (const [method, path, body] of [
    ["GET", "/triggers/t"],
    ["DELETE", "/triggers/t"],
    ["POST", "/triggers/t/pause"],
    ["POST", "/triggers/t/resume"],
    ["POST", "/triggers/t/test", { event: 1 }],
  ] as const)
    expect((await call(method, path, body)).status, path).toBe(404);
  expect((await client.listAudit({ limit: 100 })).items.map(({ action }) => action)).toEqual(
    expect.arrayContaining(["putTrigger", "pauseTrigger", "removeTrigger"]),
  );
});

test("errors name the invalid field, and nothing is saved", async () => {
  const { client, call } = await served();
  const refused = async (body: object) => {
    const response = await call("PUT", "/triggers/t", body);
    const { code, field } = (await response.json()) as { code: string; field: string };
    return [response.status, code, field];
  };
  const right = { source: webhook, workflow: "orders" };
  expect(await refused({ ...right, source: { type: "webhook" } })).toEqual([400, "TRIGGER_INVALID", "source.secrets"]);
  expect(await refused({ ...right, source: { ...webhook, secret: "whsec_x" } })).toEqual([
    400,
    "TRIGGER_INVALID",
    "source.secret",
  ]);
  expect(await refused({ ...right, filter: "event." })).toEqual([400, "TRIGGER_INVALID", "filter"]);
  expect(await refused({ ...right, from: "yesterday" })).toEqual([400, "TRIGGER_INVALID", "from"]);
  expect((await refused({ ...right, tenantId: "acme" }))[1]).toBe("REQUEST_INVALID");
  expect((await client.listTriggers()).items).toEqual([]);
});

test("a signed event that is delivered often and in parallel starts one run", async () => {
  const { put, send, runs, client } = await served();
  await put("t");
  const answers = await Promise.all(Array.from({ length: 20 }, () => send({ id: "msg_1" })));
  expect(answers.filter(({ status }) => status === 202).length).toBe(1);
  expect(answers.filter(({ status }) => status === 200).length).toBe(19);
  expect(new Set(answers.map(({ runId }) => runId)).size).toBe(1);
  expect((await runs()).length).toBe(1);
  expect(await send({ id: "msg_2" })).toMatchObject({ status: 202, outcome: "started" });
  await until(async () => (await client.getTrigger("t")).repeated === 19);
  expect(await client.getTrigger("t")).toMatchObject({ started: 2, rejected: 0 });
});

test("CloudEvents in both modes are accepted, and the same event starts one run", async () => {
  const { put, send, runs } = await served();
  await put("t", { filter: 'event.type == "order"' });
  const event = { specversion: "1.0", id: "e1", source: "/shop", type: "order" };
  const structured = { "content-type": "application/cloudevents+json" };
  const binary = Object.fromEntries(Object.entries(event).map(([name, value]) => [`ce-${name}`, value]));
  const first = await send({ id: "m1", body: { ...event, data: { n: 1 } }, headers: structured });
  expect(first).toMatchObject({ status: 202 });
  expect(await send({ id: "m2", headers: binary })).toMatchObject({ status: 200, runId: first.runId });
  expect(await send({ id: "m3", body: { ...event, id: "e2", type: "other" } })).toMatchObject({ outcome: "skipped" });
  expect((await runs()).length).toBe(1);
});

test("a wrong, missing or old signature is refused, like a trigger that does not exist", async () => {
  const { put, send, runs, client } = await served();
  await put("t");
  await put("broker", { source: { type: "elsewhere" } });
  const answers = [
    await send({ key: "other" }),
    await send({ signature: (real) => real.replace("v1,", "v2,") }),
    await send({ signature: () => "v1," }),
    await send({ headers: { "webhook-signature": "" } }),
    await send({ headers: { "webhook-id": "msg_2" } }),
    await send({ headers: { "webhook-timestamp": "now" } }),
    await send({ path: "/triggers/absent/events" }),
    await send({ path: "/triggers/broker/events" }),
    await send({ path: "/triggers/t/events?tenant=acme" }),
  ];
  const shown = answers.map(({ runId: _, ...answer }) => JSON.stringify({ ...answer, requestId: "" }));
  expect(answers.map(({ status, code }) => [status, code])).toEqual(answers.map(() => [401, "UNAUTHENTICATED"]));
  expect(new Set(shown).size).toBe(1);
  expect(await send({ ageSeconds: 400 })).toMatchObject({ status: 401, field: "webhook-timestamp" });
  expect(await send({ ageSeconds: -400 })).toMatchObject({ status: 401, field: "webhook-timestamp" });
  expect(await runs()).toEqual([]);
  expect(await client.getTrigger("t")).toMatchObject({ started: 0, rejected: 0, lastError: null });
});

test("during a rotation both keys are valid, and a sender may send several signatures", async () => {
  const { put, send } = await served();
  await put("t", { source: { type: "webhook", secrets: ["other", "key"], toleranceSeconds: 60 } });
  expect((await send({ id: "a", key: "key" })).status).toBe(202);
  expect((await send({ id: "b", key: "other" })).status).toBe(202);
  expect((await send({ id: "c", signature: (real) => `v1a,xyz v1,AAAA ${real}` })).status).toBe(202);
  expect((await send({ id: "d", ageSeconds: 61 })).status).toBe(401);
});

test("each tenant has its own triggers and runs", async () => {
  const { put, send, runs } = await served();
  await put("t", {}, "acme");
  expect((await send()).status).toBe(401);
  expect((await send({ path: "/triggers/t/events?tenant=acme" })).status).toBe(202);
  expect([(await runs()).length, (await runs("acme")).length]).toEqual([0, 1]);
  await put("t");
  expect((await send()).status).toBe(202);
  expect([(await runs()).length, (await runs("acme")).length]).toEqual([1, 1]);
});

test("an event that does not fit is a visible rejection with an alert, once per event", async () => {
  const { put, send, client } = await served();
  await put("t");
  expect(await send({ id: "bad", body: { n: "x" } })).toMatchObject({ status: 400, code: "SCHEMA_MISMATCH" });
  expect(await send({ id: "bad", body: { n: "x" } })).toMatchObject({ status: 400 });
  expect(await send({ id: "worse", body: "{" })).toMatchObject({ status: 400, code: "TRIGGER_EVENT_INVALID" });
  await put("u", { workflow: "absent" });
  expect(await send({ path: "/triggers/u/events" })).toMatchObject({ status: 404, code: "WORKFLOW_NOT_FOUND" });
  const { rejected, rejections } = await client.getTrigger("t");
  expect(rejected).toBe(3);
  expect(rejections.map(({ eventId }) => eventId)).toEqual([null, "bad"]);
  const alerts = (await client.getHealth()).alerts.filter(({ code }) => code === "TRIGGER_EVENT_REJECTED");
  expect(alerts.length).toBe(3);
  expect(alerts[0]?.remedy).toContain("runledger triggers show");
});

test("a paused trigger asks its sender to try again, and large bodies are refused", async () => {
  const { put, send, ledger } = await served();
  await put("t");
  await ledger.triggers.pause("t");
  expect(await send()).toMatchObject({ status: 503, code: "TRIGGER_PAUSED" });
  await ledger.triggers.resume("t");
  expect(await send({ body: { n: 1, text: "x".repeat(600 * 1024) } })).toMatchObject({ status: 413 });
  expect(await send()).toMatchObject({ status: 202 });
});

test("viewers read, operators steer, and engineers define triggers", async () => {
  const { put, ledger, call } = await served();
  await put("t");
  const statusOf = async (role: AccessRole, method: string, path: string, body?: object) => {
    const params = { name: role, role, tenantId: "default", ttlMs: null, createdBy: "test" };
    const { text } = await createApiKey(ledger.store.access, params);
    return (await call(method, path, body, { authorization: `Bearer ${text}` })).status;
  };
  const right = { source: webhook, workflow: "orders" };
  expect(await statusOf("viewer", "GET", "/triggers")).toBe(200);
  expect(await statusOf("viewer", "POST", "/triggers/t/pause")).toBe(403);
  expect(await statusOf("operator", "POST", "/triggers/t/pause")).toBe(200);
  expect(await statusOf("operator", "PUT", "/triggers/t", right)).toBe(403);
  expect(await statusOf("operator", "DELETE", "/triggers/t")).toBe(403);
  expect(await statusOf("engineer", "PUT", "/triggers/t", right)).toBe(200);
  expect(await statusOf("engineer", "DELETE", "/triggers/t")).toBe(204);
});
