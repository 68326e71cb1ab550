// @module-tag B-32
/** Erasure over HTTP: who may request it, and what the audit log shows. */
import type { AccessRole } from "@runledger/contracts";
import { newEvent } from "@runledger/contracts";
import { expect, test } from "vitest";
import { testServer } from "@runledger/test-support/test-server";
import { createApiKey } from "../auth/api-keys.js";

const SECRET = "zebra";

async function served() {
  const { call, ledger } = await testServer([]);
  const keyOf = async (role: AccessRole, tenantId = "acme") => {
    const params = { tenantId, role, name: `${tenantId} ${role}`, createdBy: "test", ttlMs: null };
    return { authorization: `Bearer ${(await createApiKey(ledger.store.access, params)).text}` };
  };
  const eventOf = (eventType: string, runId: string, eventData = {}) =>
    newEvent({ runId, eventType, planVersion: "1", eventData });
  const store = ledger.store.forTenant("acme");
  await store.appendEvents([eventOf("RunStarted", "done"), eventOf("RunCompleted", "done", { output: SECRET })]);
  await store.appendEvents([eventOf("RunStarted", "open")]);
  const erase = async (headers: Record<string, string>, runId = "done", body: object = { reason: "request 4711" }) => {
    const response = await call("POST", `/runs/${runId}/erase`, body, headers);
    return { status: response.status, body: (await response.json()) as { code?: string } };
  };
  return { call, ledger, keyOf, erase };
}

test("an admin of the tenant erases a run, and the audit log shows who asked", async () => {
  const { call, ledger, keyOf, erase } = await served();
  const admin = await keyOf("admin");
  expect(await erase(admin)).toEqual({ status: 200, body: { runId: "done", erased: true, events: 1 } });
  expect(await erase(admin)).toEqual({ status: 200, body: { runId: "done", erased: true, events: 0 } });
  const run = await (await call("GET", "/runs/done", undefined, admin)).json();
  const by = { by: "acme admin", reason: "request 4711" };
  expect(run).toMatchObject({ status: "COMPLETED", erased: by, output: { $erased: by } });
  const [entry] = await ledger.store.audit.listAudit({ tenantId: "acme" });
  expect(entry).toMatchObject({
    actor: "acme admin",
    action: "eraseRun",
    target: "POST /api/v1/runs/done/erase",
    outcome: "allowed",
  });
});

test("other roles and tenants, open runs and missing reasons are refused", async () => {
  const { ledger, keyOf, erase } = await served();
  const admin = await keyOf("admin");
  for (const role of ["viewer", "operator", "engineer"] as const)
    expect(await erase(await keyOf(role))).toMatchObject({ status: 403, body: { code: "FORBIDDEN" } });
  expect(await erase(await keyOf("admin", "beta"))).toMatchObject({ status: 404, body: { code: "RUN_NOT_FOUND" } });
  expect(await erase(admin, "open")).toMatchObject({ status: 409, body: { code: "RUN_NOT_FINISHED" } });
  for (const body of [{}, { reason: "" }]) expect((await erase(admin, "done", body)).status).toBe(400);
  expect(JSON.stringify(await ledger.store.fetchEvents("done"))).toContain(SECRET);
});
