/** Admission over HTTP: what a start answers, and when to come back. */
import type { Problem, StartedRun } from "@runledger/client";
import { workflow } from "runledger";
import { expect, test } from "vitest";
import { testServer } from "../../../../tests/support/test-server.js";

const orders = workflow("orders", { version: "1" }, (w) => w.step("load", () => 1));

test("[O-21] a start says ACCEPT, QUEUE or DELAY; over the limit it is 429 with Retry-After", async () => {
  const { call, ledger } = await testServer([orders]);
  const start = async (more: object = {}) => call("POST", "/runs", { workflow: "orders", ...more });
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
