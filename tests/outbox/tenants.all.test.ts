// @module-tag B-03
/** A tenant with full rights of its own tries to receive the events of another tenant through the API. */
import { newEvent } from "@runledger/contracts";
import { createApiKey } from "@runledger/server/setup";
import { freshDatabase } from "@runledger/test-support/fresh-database";
import { testServer } from "@runledger/test-support/test-server";
import { until } from "@runledger/test-support/until";
import { expect, onTestFinished, test } from "vitest";
import { Receiver } from "./receiver.js";

test("a subscription never receives events of another tenant", { tags: ["U-14"] }, async () => {
  const database = await freshDatabase();
  onTestFinished(() => database.drop());
  const { ledger, call } = await testServer([], { store: database.url });
  const receiver = await new Receiver().start();
  const outbox = ledger.outbox({ allowAddresses: ["127.0.0.1"], pollMs: 20 });
  onTestFinished(async () => {
    await outbox.stop();
    await receiver.stop();
  });
  const keyOf = async (tenantId: string) => {
    const params = { name: tenantId, role: "admin" as const, tenantId, ttlMs: null, createdBy: "test" };
    return (await createApiKey(ledger.store.access, params)).text;
  };
  const [victim, attacker] = [await keyOf("victim"), await keyOf("attacker")];
  const sendAs = async (key: string, method: string, path: string, body?: object, headers: object = {}) =>
    (await call(method, path, body, { authorization: `Bearer ${key}`, ...headers })).status;
  const append = (tenantId: string, runId: string, stepIds: readonly string[]) =>
    ledger.store.forTenant(tenantId).appendEvents(
      stepIds.map((stepId) => {
        const eventData = { labels: { team: "blue" } };
        return newEvent({ runId, eventType: "StepStarted", stepId, planVersion: "1", planId: "orders", eventData });
      }),
    );

  await append("victim", "theirs-before", ["a", "b"]);
  const paused = { bus: { type: "webhook", url: `${receiver.url}?victim` } };
  expect(await sendAs(victim, "PUT", "/subscriptions/hook", paused)).toBe(200);
  expect(await sendAs(victim, "POST", "/subscriptions/hook/pause")).toBe(200);

  const bus = { type: "webhook", url: receiver.url };
  const broad = { bus, from: "beginning", filter: { workflows: ["orders"], eventTypes: ["StepStarted"] } };
  expect(await sendAs(attacker, "PUT", "/subscriptions/hook", broad)).toBe(200); // the same name in its own tenant
  expect(await sendAs(attacker, "PUT", "/subscriptions/all", { bus, from: "beginning" })).toBe(200);
  const tricks: readonly object[] = [
    { ...broad, tenantId: "victim" },
    { ...broad, tenant: "*" },
    { ...broad, filter: { tenants: ["victim"] } },
    { ...broad, filter: { runIds: ["theirs-before"] } },
    { bus: { ...bus, tenantId: "victim" } },
  ];
  for (const trick of tricks) expect(await sendAs(attacker, "PUT", "/subscriptions/trick", trick)).toBe(400);
  for (const tenant of ["victim", "*"])
    expect(await sendAs(attacker, "PUT", "/subscriptions/trick", broad, { "runledger-tenant": tenant })).not.toBe(200);
  for (const [method, path] of [
    ["POST", "/dead-letters/hook/theirs-before/redrive"],
    ["DELETE", "/dead-letters/hook/theirs-before"],
    ["GET", "/dead-letters/hook/theirs-before"],
  ] as const)
    expect(await sendAs(attacker, method, path)).toBe(404);
  expect(await sendAs(attacker, "POST", "/subscriptions/hook/resume")).toBe(200); // its own one
  expect(await sendAs(attacker, "POST", "/subscriptions/all/rewind", { from: "beginning" })).toBe(200);

  await append("victim", "theirs", ["a", "b"]);
  await append("attacker", "own", ["a", "b"]);
  await until(() => receiver.events.filter(({ data }) => data.runId === "own" && data.runSeq === 2).length >= 2);
  await until(async () => {
    const statuses = await Promise.all(
      ["hook", "all"].map((id) => ledger.subscriptions.status(id, { tenantId: "attacker" })),
    );
    return statuses.every(({ pendingRuns, isFilling }) => pendingRuns === 0 && !isFilling);
  });
  expect(new Set(receiver.events.map(({ source }) => source))).toEqual(new Set(["/tenants/attacker/runs/own"]));
  const { pausedAt } = (await ledger.subscriptions.get("hook", { tenantId: "victim" }))!;
  expect(pausedAt).not.toBeNull();
});
