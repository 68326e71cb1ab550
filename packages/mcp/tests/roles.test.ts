// @module-tag D-33
/** `runledger mcp` on a server: the role and the tenant of the key decide, and the server records who did what. */
import { connect } from "runledger";
import { freshDatabase } from "@runledger/test-support/fresh-database";
import { testServer } from "@runledger/test-support/test-server";
import { expect, onTestFinished, test } from "vitest";
import { McpClient } from "./mcp-client.js";
import { orders1, orders2, warehouse } from "./orders.js";

async function place() {
  const database = await freshDatabase();
  const ledger = await connect(database.url);
  onTestFinished(async () => {
    warehouse.isOpen = true;
    await ledger.close();
    await database.drop();
  });
  const { server, call } = await testServer([orders1, orders2], { ledger });
  ledger.projector();
  await ledger.worker({ workflows: [orders1, orders2] });
  warehouse.isOpen = false;
  const run = await ledger.start(orders2, { input: {}, tenantId: "acme" });
  await run.result().catch(() => {});
  /** An MCP client with a new key. */
  const as = async (tenant: string, role: "viewer" | "operator") => {
    const created = await call("POST", "/keys", { name: `${tenant} ${role}`, role }, { "runledger-tenant": tenant });
    const { key, secret } = (await created.json()) as { key: { keyId: string }; secret: string };
    const mcp = await McpClient.connect({ env: { RUNLEDGER_SERVER: server.url, RUNLEDGER_KEY: secret } });
    return { mcp, keyId: key.keyId };
  };
  return { ledger, runId: run.id, as };
}

test("a viewer lists and explains but is refused, an operator acts, and another tenant sees nothing", async () => {
  const { ledger, runId, as } = await place();
  const [viewer, operator, other] = [
    await as("acme", "viewer"),
    await as("acme", "operator"),
    await as("other", "operator"),
  ];

  const listed = async () => (await viewer.mcp.call("list_runs")).runs; // the list follows the log
  await expect.poll(listed).toMatchObject([{ runId, status: "FAILED" }]);
  const explained = await viewer.mcp.call("explain_run", { run_id: runId });
  expect(explained).toMatchObject({
    failure: { culprit: "load", step: { attempts: 2 }, retry: { possible: true, runsAgainCount: 2 } },
    sinceLastSuccess: null,
  });
  expect(await viewer.mcp.call("diff_runs", { run_id: runId, other_run_id: runId })).toMatchObject({ differences: 0 });
  for (const name of ["retry_run", "cancel_run"])
    expect(await viewer.mcp.refusal(name, { run_id: runId })).toMatchObject({ code: "FORBIDDEN", family: "stop" });

  expect((await other.mcp.call("list_runs")).runs).toEqual([]);
  const calls = ["explain_run", "retry_run", "cancel_run"].map((name) => other.mcp.refusal(name, { run_id: runId }));
  for (const error of await Promise.all(calls)) expect(error).toMatchObject({ code: "RUN_NOT_FOUND" });
  const unknown = await other.mcp.refusal("explain_run", { run_id: "run_00000000000000000000000000000000" });
  const absent = await other.mcp.refusal("explain_run", { run_id: runId });
  expect(absent.message.replace(runId, "")).toBe(unknown.message.replace("run_00000000000000000000000000000000", ""));

  warehouse.isOpen = true;
  const { confirmation, preview } = await operator.mcp.call("retry_run", { run_id: runId });
  expect(preview).toMatchObject({ runsAgain: { count: 2, steps: ["load", "report"] }, keptCount: 2 });
  // Another process refuses the token.
  expect(await viewer.mcp.refusal("retry_run", { run_id: runId, confirmation })).toMatchObject({
    code: "CONFIRMATION_INVALID",
  });
  const done = await operator.mcp.call("retry_run", { run_id: runId, confirmation });
  await expect.poll(async () => (await viewer.mcp.call("explain_run", { run_id: runId })).run.status).toBe("COMPLETED");

  /** The senders of the actions in the run's log. */
  const senders = async (eventType: string) => {
    const events = (await ledger.store.fetchEvents(runId)).filter((event) => event.eventType === eventType);
    return events.map(({ logicalAttemptId, eventData }) => [logicalAttemptId, (eventData as { by: string }).by]);
  };
  expect(await senders("SignalAccepted")).toEqual([[done.actionId, "acme operator"]]);
  await expect.poll(() => senders("SignalRejected")).toContainEqual([expect.any(String), "acme viewer"]);
  const audited = async () => {
    const entries = await ledger.store.audit.listAudit({ tenantId: "acme" });
    return entries
      .filter(({ outcome }) => outcome === "denied")
      .map(({ actor, keyId, code }) => ({ actor, keyId, code }));
  };
  await expect.poll(audited).toContainEqual({ actor: "acme viewer", keyId: viewer.keyId, code: "FORBIDDEN" });
});
