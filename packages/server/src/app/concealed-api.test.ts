// @module-tag B-33
/** If payloads are encrypted, callers see them by their role. */
import type { AccessRole } from "@runledger/contracts";
import { connect, workflow } from "@runledger/runtime";
import { testServer } from "@runledger/test-support/test-server";
import { until } from "@runledger/test-support/until";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { createApiKey } from "../auth/api-keys.js";

/** Part of every payload, and of no name. */
const SECRET = "zebra";
const keys = `k1:${Buffer.alloc(32, 7).toString("base64")}`;

const orders = workflow("orders", { version: "1", input: z.object({ note: z.string() }) }, (w) => {
  const read = w.step("read", ({ input, log }) => {
    log(`${SECRET}-log`);
    return { note: input.note };
  });
  return w.step("fail", { needs: { read }, retry: { attempts: 1 } }, ({ needs }) => {
    throw new Error(`${SECRET}-message ${needs.read.note}`);
  });
});

async function served() {
  const ledger = await connect("memory:", { encryption: { keys } });
  onTestFinished(() => ledger.close());
  const server = await testServer([orders], { ledger });
  ledger.projector();
  await ledger.worker({ workflows: [orders] });
  await ledger.schedules.put({
    id: "nightly",
    workflow: orders,
    cron: "0 3 * * *",
    timeZone: "UTC",
    input: { note: `${SECRET}-scheduled` },
  });
  const run = await ledger.start(orders, { input: { note: `${SECRET}-input` } });
  await expect(run.result()).rejects.toThrow(SECRET);
  const other = await ledger.start(orders, { input: { note: `${SECRET}-input` } });
  await expect(other.result()).rejects.toThrow(SECRET);
  await until(async () => (await ledger.list({ status: ["FAILED"] }).page()).runs.length === 2);
  const read = async (role: AccessRole, path: string) => {
    const params = { name: role, role, tenantId: "default", ttlMs: null, createdBy: "test" };
    const { text } = await createApiKey(ledger.store.access, params);
    const response = await server.call("GET", path, undefined, { authorization: `Bearer ${text}` });
    return { status: response.status, text: await response.text() };
  };
  return { read, runId: run.id, otherId: other.id };
}

test("operators see payloads, and viewers see the structure of the same runs", async () => {
  const { read, runId, otherId } = await served();
  const paths = [
    "/runs",
    `/runs/${runId}`,
    `/runs/${runId}?atSeq=3`,
    `/runs/${runId}/events`,
    `/runs/${runId}/steps`,
    `/runs/${runId}/steps/read`,
    `/runs/${runId}/steps/fail`,
    `/runs/${runId}/diff/${otherId}`,
    `/runs/${runId}/stream?until=ended`,
    "/schedules",
    "/schedules/nightly",
  ];
  const hidden: string[] = [];
  for (const path of paths) {
    const viewer = await read("viewer", path);
    expect(viewer, path).toMatchObject({ status: 200 });
    expect(viewer.text, path).not.toContain(SECRET);
    expect(viewer.text, path).not.toContain("$sealed");
    const operator = await read("operator", path);
    expect(operator, path).toMatchObject({ status: 200 });
    if (operator.text.includes(SECRET)) hidden.push(path);
  }
  expect(hidden).toEqual(expect.arrayContaining(["/runs", `/runs/${runId}`, `/runs/${runId}/events`, "/schedules"]));
  const { text } = await read("viewer", `/runs/${runId}`);
  expect(JSON.parse(text)).toMatchObject({ status: "FAILED", culprit: "fail", error: { message: "encrypted" } });
});

test("logs are refused to viewers and readable for operators", async () => {
  const { read, runId } = await served();
  const viewer = await read("viewer", `/runs/${runId}/logs`);
  expect([viewer.status, JSON.parse(viewer.text)]).toMatchObject([403, { code: "FORBIDDEN" }]);
  expect((await read("operator", `/runs/${runId}/logs`)).text).toContain(`${SECRET}-log`);
});
