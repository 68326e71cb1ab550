// @module-tag R-10
/** Denied signals and actions are in the log of their run (G2). */
import type { CanonicalEngineEvent } from "@runledger/contracts";
import { connect } from "@runledger/runtime/ledger/connect";
import { workflow } from "@runledger/runtime";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { testServer, type TestServer } from "@runledger/test-support/test-server";
import { createApiKey } from "../auth/api-keys.js";

const waits = workflow("waits", { version: "1", signals: { go: z.null() } }, (w) => w.waitForSignal("go"));

async function keyFor({ ledger }: TestServer, name: string, role: "viewer" | "operator", tenantId = "default") {
  const params = { name, role, tenantId, ttlMs: null, createdBy: "test" } as const;
  return { authorization: `Bearer ${(await createApiKey(ledger.store.access, params)).text}` };
}

async function waiting({ client }: TestServer): Promise<string> {
  return (await client.startRun({ workflow: "waits" })).runId;
}

const rejections = async ({ ledger }: TestServer, runId: string): Promise<unknown[]> =>
  (await ledger.store.fetchEvents(runId)).filter(isRejection).map(({ eventData }) => eventData);

const isRejection = ({ eventType }: CanonicalEngineEvent): boolean => eventType === "SignalRejected";

const statusAndCode = async (response: Response): Promise<unknown[]> => [
  response.status,
  ((await response.json()) as { code: string }).code,
];

test("an action that the caller's role denies is recorded once, and so is a signal", async () => {
  const served = await testServer([waits]);
  const viewer = await keyFor(served, "vera", "viewer");
  const runId = await waiting(served);
  for (const path of ["actions/cancel", "actions/cancel", "signals/go", "signals/go", "signals/misspelled"])
    expect(await statusAndCode(await served.call("POST", `/runs/${runId}/${path}`, {}, viewer))).toEqual([
      403,
      "FORBIDDEN",
    ]);
  const reason = "not allowed: vera has the role viewer, and operator is required";
  expect(await rejections(served, runId)).toEqual([
    { namespace: "action", name: "CANCEL", by: "vera", reason },
    { namespace: "signal", name: "go", by: "vera", reason },
  ]);
  const operator = await keyFor(served, "olga", "operator");
  expect((await served.call("POST", `/runs/${runId}/actions/cancel`, {}, operator)).status).toBe(200);
});

test("a denied caller leaves operators their limit", async () => {
  const served = await testServer([waits]);
  const viewer = await keyFor(served, "vera", "viewer");
  const runId = await waiting(served);
  for (let sent = 0; sent < 61; sent++) await served.call("POST", `/runs/${runId}/actions/pause`, {}, viewer);
  expect(await rejections(served, runId)).toHaveLength(1);
});

test("callers without a credential and of another tenant write nothing into the log", async () => {
  const served = await testServer([waits]);
  const runId = await waiting(served);
  const before = await served.ledger.store.fetchEvents(runId);
  const stranger = await keyFor(served, "eve", "viewer", "other");
  const path = `/runs/${runId}/actions/cancel`;
  expect((await served.call("POST", path, {}, { authorization: "" })).status).toBe(401);
  expect((await served.call("POST", path, {}, { authorization: "Bearer rlk_wrong" })).status).toBe(401);
  expect((await served.call("POST", path, {}, stranger)).status).toBe(403);
  expect((await served.call("POST", path, {}, { ...stranger, "runledger-tenant": "default" })).status).toBe(403);
  expect((await served.call("POST", "/runs/run_none/actions/cancel", {}, stranger)).status).toBe(403);
  expect(await served.ledger.store.fetchEvents(runId)).toEqual(before);
});

test("a denial by the authorization hook is recorded, and a preview reports it", async () => {
  const ledger = await connect("memory:", {
    authorization: {
      authorize: async ({ by, name, tenantId }) =>
        by === "olga" && name === "CANCEL" ? { allowed: false, reason: `${tenantId} is frozen` } : { allowed: true },
    },
  });
  onTestFinished(() => ledger.close());
  const served = await testServer([waits], { ledger });
  const operator = await keyFor(served, "olga", "operator");
  const runId = await waiting(served);
  const path = `/runs/${runId}/actions/cancel`;
  const preview = await served.call("POST", path, { dryRun: true }, operator);
  const reason = "not allowed: default is frozen";
  expect(await preview.json()).toMatchObject({ accepted: false, reason });
  expect(await rejections(served, runId)).toEqual([]);
  expect(await statusAndCode(await served.call("POST", path, {}, operator))).toEqual([409, "SIGNAL_REJECTED"]);
  expect(await rejections(served, runId)).toEqual([{ namespace: "action", name: "CANCEL", by: "olga", reason }]);
  expect((await served.client.act(runId, "cancel")).accepted).toBe(true);
});
