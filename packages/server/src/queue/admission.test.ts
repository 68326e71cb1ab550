// @module-tag O-21
/** Admission over HTTP: the response to a start, and when to retry. */
import type { LimitList, Problem, StartedRun } from "@runledger/client";
import { workflow } from "@runledger/runtime";
import { expect, test } from "vitest";
import { testServer } from "@runledger/test-support/test-server";
import { createApiKey } from "../auth/api-keys.js";

const orders = workflow("orders", { version: "1" }, (w) => w.step("load", () => 1));

test("a start returns ACCEPT, QUEUE or DELAY, and 429 with Retry-After beyond the limit", async () => {
  const { call, ledger } = await testServer([orders]);
  const start = async (more: object = {}) => call("POST", "/runs", { workflow: "orders", ...more });
  const plans = [{ planId: "orders", planVersion: "1" }];
  await ledger.store.leases.heartbeat({ workerId: "idle", ttlMs: 600_000, plans, logFormat: 1 });
  expect((await (await start()).json()) as StartedRun).toMatchObject({ created: true, admission: "ACCEPT" });
  const startAt = "2999-01-01T00:00:00.000Z";
  expect((await (await start({ startAt })).json()) as StartedRun).toMatchObject({ admission: "DELAY", startAt });
  await ledger.limits.set({ scope: "overall", subject: "", maxRunning: 0, maxQueued: 3 });
  expect((await (await start({ requestId: "r" })).json()) as StartedRun).toMatchObject({ admission: "QUEUE" });
  const full = await start();
  expect([full.status, full.headers.get("retry-after")]).toEqual([429, "60"]);
  expect((await full.json()) as Problem).toMatchObject({ code: "QUEUE_FULL", family: "retry", retryAfterSeconds: 60 });
  expect((await start({ requestId: "r" })).status).toBe(200);
  const sameInAnyVersion = { requestId: "d", dedupe: "workflow" };
  expect((await start(sameInAnyVersion)).status).toBe(429);
});

test(
  "the queue explains why each run waits, and limits can be set, listed and removed",
  { tags: ["O-23"] },
  async () => {
    const { client } = await testServer([orders]);
    const limit = { scope: "tenant", subject: "default", maxRunning: 0 } as const;
    expect(await client.setLimit(limit)).toEqual({ ...limit, rate: null, maxQueued: null, priority: null });
    const { runId } = await client.startRun({ workflow: "orders" });
    const { items, counts, next } = await client.listQueue({ limit: 1 });
    expect([counts, next]).toEqual([{ queued: 1, running: 0, waiting: 0 }, null]);
    expect(items[0]).toMatchObject({ runId, where: "queued", planId: "orders", position: 1 });
    const texts = items[0]!.reasons.map(({ text }) => text);
    expect(texts).toEqual(["no worker for orders 1", "limit of tenant default: 0 of 0 running"]);
    expect(await client.getQueuedRun(runId)).toEqual(items[0]);
    expect((await client.listLimits()).items).toMatchObject([limit]);
    expect(await client.removeLimit({ scope: "tenant", subject: "default" })).toEqual({ removed: true });
    expect(await client.removeLimit({ scope: "tenant", subject: "default" })).toEqual({ removed: false });
    expect((await client.getQueuedRun(runId)).reasons.map(({ kind }) => kind)).toEqual(["worker"]);
    await expect(client.setLimit({ ...limit, scope: "project" })).rejects.toMatchObject({ code: "OPTION_INVALID" });
  },
);

test("an admin of a tenant can limit only its own projects and keys", async () => {
  const { ledger, call } = await testServer([orders]);
  const wanted = { name: "a", role: "admin", tenantId: "acme", ttlMs: null, createdBy: "test" } as const;
  const { text } = await createApiKey(ledger.store.access, wanted);
  const headers = { authorization: `Bearer ${text}` };
  const put = async (scope: string, subject: string) =>
    (await call("PUT", "/limits", { scope, subject, maxRunning: 1 }, headers)).status;
  expect(await put("project", "acme|web")).toBe(200);
  expect([await put("project", "other|web"), await put("tenant", "acme"), await put("overall", "")]).toEqual([
    403, 403, 403,
  ]);
  await ledger.limits.set({ scope: "tenant", subject: "other", maxRunning: 1 });
  const { items } = (await (await call("GET", "/limits", undefined, headers)).json()) as LimitList;
  expect(items.map(({ subject }) => subject)).toEqual(["acme|web"]);
});
