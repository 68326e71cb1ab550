// @module-tag R-26
/** The caller that started a run may not approve it. */
import { workflow } from "@runledger/runtime";
import { expect, test } from "vitest";
import { testServer, type TestServer } from "@runledger/test-support/test-server";
import { createApiKey } from "../auth/api-keys.js";

const release = workflow("release", { version: "1", approval: true }, (w) => w.step("ship", () => 1));

async function keyOf({ ledger }: TestServer, name: string): Promise<Record<string, string>> {
  const params = { name, role: "operator" as const, tenantId: "default", ttlMs: null, createdBy: "test" };
  return { authorization: `Bearer ${(await createApiKey(ledger.store.access, params)).text}` };
}

async function startedBy(served: TestServer, headers: Record<string, string>): Promise<string> {
  const response = await served.call("POST", "/runs", { workflow: "release" }, headers);
  return ((await response.json()) as { runId: string }).runId;
}

test("the starter's approval is refused and recorded, and another caller's is accepted", async () => {
  const served = await testServer([release]);
  const { call, client } = served;
  const [ann, bob] = [await keyOf(served, "ann"), await keyOf(served, "bob")];
  const runId = await startedBy(served, ann);
  const path = `/runs/${runId}/actions/approve`;
  expect(await (await call("POST", path, { dryRun: true }, ann)).json()).toMatchObject({ accepted: false });
  const own = await call("POST", path, {}, ann);
  expect([own.status, ((await own.json()) as { code: string }).code]).toEqual([409, "SIGNAL_REJECTED"]);
  const { items } = await client.listEvents(runId);
  expect(items.at(-1)).toMatchObject({
    eventType: "SignalRejected",
    eventData: { by: "ann", reason: "the caller that started a run may not approve it" },
  });
  expect((await call("POST", path, {}, bob)).status).toBe(200);
});

test("the starter may approve if the configuration allows it, and on a server of one user", async () => {
  const served = await testServer([release], { access: { selfApproval: true } });
  const ann = await keyOf(served, "ann");
  const approve = `/runs/${await startedBy(served, ann)}/actions/approve`;
  expect((await served.call("POST", approve, {}, ann)).status).toBe(200);
  const local = await testServer([release]);
  const { runId } = await local.client.startRun({ workflow: "release" });
  expect((await local.call("POST", `/runs/${runId}/actions/approve`, {})).status).toBe(200);
});
