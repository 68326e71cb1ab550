// @module-tag B-03
import { newEvent, type AccessRole } from "@runledger/contracts";
import { inProcessBus, workflow, type BusMessage } from "@runledger/runtime";
import { until } from "@runledger/test-support/until";
import { testServer } from "@runledger/test-support/test-server";
import { expect, onTestFinished, test } from "vitest";
import { createApiKey } from "../auth/api-keys.js";

const flow = workflow("flow", { version: "1" }, (w) => w.step("one", () => 1));

/** A server with an outbox. The bus `here` collects messages, and refuses events of the step `bad`. */
async function served() {
  const world = await testServer([flow]);
  const received: BusMessage[] = [];
  const collect = (message: BusMessage): void => {
    if (message.events.some(({ subject }) => subject === "bad")) throw new Error("refused");
    received.push(message);
  };
  const here = inProcessBus(collect, { batchSize: 1 });
  const onAlert = (): void => {};
  const outbox = world.ledger.outbox({ buses: { here }, pollMs: 10, onAlert });
  onTestFinished(() => outbox.stop());
  const append = (runId: string, ...steps: readonly string[]) =>
    world.ledger.store.appendEvents(
      steps.map((stepId) => newEvent({ runId, eventType: "StepStarted", stepId, planVersion: "1", planId: "flow" })),
    );
  const places = () =>
    received.flatMap(({ runId, events }) => events.map(({ sequence }) => `${runId} ${Number(sequence)}`));
  return { ...world, received, append, places };
}

test("a subscription is created, read, paused, resumed, rewound, tested and deleted", async () => {
  const { client, append, places, received, call } = await served();
  const request = { bus: { type: "here" }, filter: { workflows: ["flow"] }, from: "beginning" };
  const made = await client.putSubscription("print", request);
  expect(made).toMatchObject({ subscriptionId: "print", state: "active", maxAttempts: 20, startsAt: null });
  expect(Object.keys(made)).not.toContain("tenantId");
  await append("a", "one", "two");
  await until(() => places().length === 2);
  await until(async () => (await client.getSubscription("print")).pendingRuns === 0);
  expect((await client.getSubscription("print")).lastDeliveredAt).not.toBeNull();

  expect((await client.pauseSubscription("print")).state).toBe("paused");
  await append("a", "three");
  await until(async () => (await client.getSubscription("print")).pendingRuns === 1);
  expect((await client.getSubscription("print")).lagSeconds).toBeGreaterThanOrEqual(0);
  expect((await client.resumeSubscription("print")).pausedAt).toBeNull();
  await until(() => places().length === 3);
  await client.rewindSubscription("print", "beginning");
  await until(() => places().length === 6);
  expect(places()).toEqual(["a 1", "a 2", "a 3", "a 1", "a 2", "a 3"]);

  expect(await client.testSubscription("print")).toEqual({ isDelivered: true });
  expect(received.at(-1)?.events[0]?.type).toBe("dev.runledger.Test");
  await client.putSubscription("other", { bus: { type: "nowhere" } });
  expect(await client.testSubscription("other")).toMatchObject({ isDelivered: false });
  expect((await client.listSubscriptions({ limit: 1 })).next).toBe("other");
  expect(await client.listSubscriptions({ after: "other" })).toMatchObject({ items: [{ subscriptionId: "print" }] });

  await client.removeSubscription("print");
  for (const [method, path] of [
    ["GET", "/subscriptions/print"],
    ["DELETE", "/subscriptions/print"],
    ["POST", "/subscriptions/print/pause"],
    ["POST", "/subscriptions/print/resume"],
    ["POST", "/subscriptions/print/test"],
    ["GET", "/dead-letters/print/a"],
  ] as const)
    expect((await call(method, path)).status, path).toBe(404);
  expect((await client.listAudit({ limit: 100 })).items.map(({ action }) => action)).toEqual(
    expect.arrayContaining(["putSubscription", "pauseSubscription", "rewindSubscription", "removeSubscription"]),
  );
});

test("errors name the invalid field, and nothing is saved", async () => {
  const { client, call } = await served();
  const refused = async (body: object) => {
    const response = await call("PUT", "/subscriptions/s", body);
    const { code, field } = (await response.json()) as { code: string; field: string };
    return [response.status, code, field];
  };
  const bus = { type: "webhook", url: "https://example.com/hook" };
  expect(await refused({ bus: { type: "webhook" } })).toEqual([400, "SUBSCRIPTION_INVALID", "bus.url"]);
  expect(await refused({ bus: { ...bus, url: "file:///etc/passwd" } })).toEqual([
    400,
    "SUBSCRIPTION_INVALID",
    "bus.url",
  ]);
  expect(await refused({ bus: { ...bus, secret: "whsec_x" } })).toEqual([400, "SUBSCRIPTION_INVALID", "bus.secret"]);
  expect(await refused({ bus, from: "yesterday" })).toEqual([400, "SUBSCRIPTION_INVALID", "from"]);
  expect((await refused({ bus, tenantId: "acme" }))[1]).toBe("REQUEST_INVALID");
  expect((await refused({ bus, filter: { tenants: ["acme"] } }))[1]).toBe("REQUEST_INVALID");
  expect((await client.listSubscriptions()).items).toEqual([]);
});

test(
  "a dead letter is listed, inspected, redriven and dropped, and raises an alert with a remedy",
  { tags: ["B-04"] },
  async () => {
    const { client, append, places } = await served();
    await client.putSubscription("print", { bus: { type: "here" }, maxAttempts: 1, from: "beginning" });
    await append("a", "one", "bad", "three");
    await append("b", "bad", "two");
    await append("c", "one");
    const letters = async () => (await client.listDeadLetters()).items;
    await until(async () => (await letters()).length === 2);
    await until(() => places().length === 2);
    expect(places().sort()).toEqual(["a 1", "c 1"]);
    expect(await client.getSubscription("print")).toMatchObject({ deadLetters: 2, pendingRuns: 2 });
    expect((await client.getSubscription("print")).lastError?.message).toBe("refused");
    const page = await client.listDeadLetters({ subscription: "print", limit: 1 });
    expect(page.items.map(({ runId }) => runId)).toEqual(["a"]);
    expect((await client.listDeadLetters({ after: page.next! })).items.map(({ runId }) => runId)).toEqual(["b"]);
    expect(await client.getDeadLetter("print", "a")).toMatchObject({
      runSeq: 2,
      attempts: 1,
      error: "refused",
      event: { runSeq: 2, stepId: "bad" },
    });
    const raised = async () => (await client.getHealth()).alerts.filter(({ code }) => code === "OUTBOX_DEAD_LETTER");
    const alerts = await raised();
    expect(new Set(alerts.map(({ runId }) => runId))).toEqual(new Set(["a", "b"]));
    expect(alerts[0]!.remedy).toContain("runledger outbox dead-letters");

    await client.redriveDeadLetter("print", "a");
    await until(async () => (await letters()).length === 2 && (await raised()).length === 3);
    await client.dropDeadLetter("print", "a");
    await client.dropDeadLetter("print", "b");
    await until(() => places().length === 4);
    expect(places().slice(2).sort()).toEqual(["a 3", "b 2"]);
    await expect(client.redriveDeadLetter("print", "a")).rejects.toMatchObject({ code: "DEAD_LETTER_NOT_FOUND" });
  },
);

test("viewers read, operators steer, and engineers define subscriptions", async () => {
  const { client, ledger, call } = await served();
  await client.putSubscription("print", { bus: { type: "here" } });
  const statusOf = async (role: AccessRole, method: string, path: string, body?: object) => {
    const params = { name: role, role, tenantId: "default", ttlMs: null, createdBy: "test" };
    const { text } = await createApiKey(ledger.store.access, params);
    return (await call(method, path, body, { authorization: `Bearer ${text}` })).status;
  };
  const put = { bus: { type: "here" } };
  expect(await statusOf("viewer", "GET", "/subscriptions")).toBe(200);
  expect(await statusOf("viewer", "POST", "/subscriptions/print/pause")).toBe(403);
  expect(await statusOf("viewer", "POST", "/subscriptions/print/test")).toBe(403);
  expect(await statusOf("operator", "POST", "/subscriptions/print/pause")).toBe(200);
  expect(await statusOf("operator", "PUT", "/subscriptions/print", put)).toBe(403);
  expect(await statusOf("operator", "POST", "/subscriptions/print/rewind", { from: "now" })).toBe(403);
  expect(await statusOf("operator", "DELETE", "/subscriptions/print")).toBe(403);
  expect(await statusOf("engineer", "PUT", "/subscriptions/print", put)).toBe(200);
  expect(await statusOf("engineer", "DELETE", "/subscriptions/print")).toBe(204);
});
