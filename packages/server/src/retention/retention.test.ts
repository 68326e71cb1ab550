// @module-tag B-30
/** Retention policies over HTTP: who may see and change them, and what is recorded. */
import { newEvent } from "@runledger/contracts";
import { expect, test } from "vitest";
import { testServer } from "@runledger/test-support/test-server";
import { createApiKey } from "../auth/api-keys.js";

test("admins manage the policies of their tenant, and every change is audited", async () => {
  const { call, ledger } = await testServer([]);
  const keyOf = async (tenantId: string, role: "admin" | "viewer") => {
    const { text } = await createApiKey(ledger.store.access, {
      tenantId,
      role,
      name: `${tenantId} ${role}`,
      createdBy: "t",
      ttlMs: null,
    });
    return { authorization: `Bearer ${text}` };
  };
  const [acme, viewer, all] = [await keyOf("acme", "admin"), await keyOf("acme", "viewer"), await keyOf("*", "admin")];
  const put = async (policy: object, headers: Record<string, string>) =>
    (await call("PUT", "/retention", policy, headers)).status;
  const own = { kind: "runs", tenantId: "acme", archiveAfterMs: 1000, deleteAfterMs: 2000 };
  expect(await put(own, viewer)).toBe(403);
  expect(await put(own, acme)).toBe(200);
  for (const tenantId of ["*", "other"]) expect(await put({ ...own, tenantId }, acme)).toBe(403);
  expect(await put({ ...own, deleteAfterMs: 1 }, acme)).toBe(400);
  expect(await put({ kind: "audit", tenantId: "*", deleteAfterMs: 1000 }, all)).toBe(200);
  expect(await put({ ...own, tenantId: "other" }, all)).toBe(200);
  const list = async (headers: Record<string, string>) =>
    ((await (await call("GET", "/retention", undefined, headers)).json()) as { items: { tenantId: string }[] }).items;
  expect((await list(viewer)).map(({ tenantId }) => tenantId)).toEqual(["*", "acme"]);
  expect((await list(all)).map(({ tenantId }) => tenantId)).toEqual(["*", "acme", "other"]);
  const removed = await call("DELETE", "/retention?kind=runs&tenantId=acme", undefined, acme);
  expect(await removed.json()).toEqual({ removed: true });
  const entries = await ledger.store.audit.listAudit({ tenantId: "acme" });
  const kept = entries.filter(({ action }) => action.endsWith("Retention"));
  expect(kept.map(({ action, outcome, actor }) => [action, outcome, actor])).toEqual(
    expect.arrayContaining([
      ["removeRetention", "allowed", "acme admin"],
      ["setRetention", "allowed", "acme admin"],
    ]),
  );
});

test("the report counts the due runs of the caller's tenant", async () => {
  const { call, ledger } = await testServer([]);
  ledger.projector();
  const emittedAt = new Date(Date.now() - 3_600_000).toISOString();
  for (const tenantId of ["default", "other"]) {
    const events = ["RunStarted", "RunCompleted"].map((eventType) =>
      newEvent({ runId: `run-${tenantId}`, eventType, planId: "orders", planVersion: "1", emittedAt }),
    );
    await ledger.store.forTenant(tenantId).appendEvents(events);
  }
  await ledger.retention.set({ archiveAfter: "1m" });
  const due = async (): Promise<unknown> => (await call("GET", "/retention/report")).json();
  const group = { workflowId: "orders", archiveAfterMs: 60_000, deleteAfterMs: null, toArchive: 1, toDelete: 0 };
  await expect.poll(due).toEqual({
    items: [
      { tenantId: "default", ...group },
      { tenantId: "other", ...group },
    ],
  });
});
