// @module-tag B-01
/** Deliveries to a real receiver over HTTP, from a ledger on PostgreSQL. */
import { newEvent, type Json, type NewEvent } from "@runledger/contracts";
import { checkHistory, recordHistory } from "@runledger/store-conformance";
import { freshDatabase, type FreshDatabase } from "@runledger/test-support/fresh-database";
import { startProgram } from "@runledger/test-support/runledger-command";
import { until } from "@runledger/test-support/until";
import { Client } from "pg";
import { connect, type Ledger, type LedgerOutboxOptions } from "runledger";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { Receiver, type ReceivedRequest } from "./receiver.js";

const KEYS = { old: "whsec_b2xkLW9sZC1vbGQtb2xk", key: "whsec_c2VjcmV0LXNlY3JldA==" };
const secrets = { resolve: async () => KEYS };

let database: FreshDatabase;
let ledger: Ledger;

beforeAll(async () => {
  database = await freshDatabase();
  ledger = await connect(database.url);
});
afterAll(async () => {
  await ledger.close();
  await database.drop();
});

const alerts: { readonly code: string; readonly runId: string; readonly message: string }[] = [];

function publish(options: LedgerOutboxOptions = {}): void {
  const onAlert: LedgerOutboxOptions["onAlert"] = (alert) => void alerts.push(alert);
  const outbox = ledger.outbox({ secrets, allowAddresses: ["127.0.0.1"], pollMs: 20, onAlert, ...options });
  onTestFinished(() => outbox.stop());
}

async function receive(...keys: readonly string[]): Promise<Receiver> {
  const receiver = await new Receiver(...keys).start();
  onTestFinished(() => receiver.stop());
  return receiver;
}

interface Hook {
  readonly id: string;
  readonly receiver: Receiver;
  readonly [option: string]: unknown;
}

async function subscribe({ id, receiver, bus, ...rest }: Hook): Promise<void> {
  const settings = { type: "webhook", url: receiver.url, secrets: ["key"], ...(bus as object) };
  await ledger.subscriptions.put({ id, from: "now", tenantId: id, ...rest, bus: settings });
  onTestFinished(() => ledger.subscriptions.remove(id, { tenantId: id }));
}

const event = (runId: string, eventType: string, stepId?: string, eventData: Json = {}): NewEvent =>
  newEvent({
    runId,
    eventType,
    planVersion: "1",
    planId: "orders",
    eventData,
    ...(stepId === undefined ? {} : { stepId }),
  });

const steps = (runId: string, count: number, first = 0): NewEvent[] =>
  Array.from({ length: count }, (_, n) => event(runId, "StepStarted", `s${first + n}`, { text: `é ${n}` }));

const placesOf = ({ events }: Receiver) => events.map(({ data }) => `${data.runId} ${data.runSeq}`);

/** The tenant has the name of the test's subscription, so that tests do not see each other's runs. */
const append = (tenantId: string, events: readonly NewEvent[]) => ledger.store.forTenant(tenantId).appendEvents(events);

test(
  "every event arrives signed and in order, although the receiver is down meanwhile",
  { tags: ["B-04"] },
  async () => {
    const receiver = await receive(KEYS.key);
    await subscribe({ id: "milestone", receiver });
    const recorded = recordHistory(ledger.store);
    const log = recorded.store.forTenant("milestone");
    publish();
    await log.appendEvents(steps("first", 3));
    await until(() => receiver.events.length === 3);
    await receiver.stop();
    const runIds = Array.from({ length: 20 }, (_, n) => `run-${n}`);
    const acknowledged = await Promise.all(runIds.map((runId) => log.appendEvents(steps(runId, 10))));
    expect(acknowledged.flat().length).toBe(200); // while nothing can be delivered
    const lastError = async () => (await ledger.subscriptions.get("milestone", { tenantId: "milestone" }))?.lastError;
    await until(async () => (await lastError()) !== null);
    const { pendingRuns } = await ledger.subscriptions.status("milestone", { tenantId: "milestone" });
    expect(pendingRuns).toBe(20);
    expect((await lastError())?.message).toContain("cannot be reached");
    await receiver.start();
    await until(() => new Set(placesOf(receiver)).size === 203);
    const history = await recorded.finish();
    const logs = history.logs.filter(({ runId }) => runId === "first" || runIds.includes(runId));
    expect(checkHistory({ ...history, logs, published: receiver.published }).violations).toEqual([]);
    expect(receiver.unsigned).toBe(0);
    const [first] = receiver.requests as [ReceivedRequest];
    expect(first.headers["content-type"]).toBe("application/cloudevents+json; charset=utf-8");
    expect(first.events[0]).toMatchObject({
      specversion: "1.0",
      source: "/tenants/milestone/runs/first",
      type: "dev.runledger.StepStarted",
      subject: "s0",
      partitionkey: "first",
      sequence: "0000000000000001",
      data: { runId: "first", runSeq: 1, eventData: { text: "é 0" } },
    });
    await until(
      async () => (await ledger.subscriptions.status("milestone", { tenantId: "milestone" })).pendingRuns === 0,
    );
  },
);

test("no append waits for the tables of the outbox", { tags: ["B-04"] }, async () => {
  const receiver = await receive();
  await subscribe({ id: "locked", receiver });
  publish();
  const client = new Client({ connectionString: database.url });
  await client.connect();
  onTestFinished(() => client.end());
  await client.query("BEGIN");
  await client.query("LOCK TABLE runledger.subscriptions, runledger.deliveries IN ACCESS EXCLUSIVE MODE");
  const runIds = Array.from({ length: 20 }, (_, n) => `locked-${n}`);
  const acknowledged = await Promise.all(runIds.map((runId) => append("locked", steps(runId, 5))));
  expect(acknowledged.flat().length).toBe(100); // while the outbox can neither read nor write
  expect(receiver.events).toEqual([]);
  await client.query("ROLLBACK");
  await until(() => new Set(placesOf(receiver)).size === 100);
});

test("a killed process loses nothing", async () => {
  const receiver = await receive();
  await subscribe({ id: "killed", receiver });
  const dying = startProgram({ cwd: process.cwd() }, "tests/outbox/outbox-program.mjs", database.url, "published", "1");
  await append("killed", steps("k1", 5));
  await append("killed", steps("k2", 5));
  expect(await dying.ended).toMatchObject({ signal: "SIGKILL" });
  publish();
  await until(() => new Set(placesOf(receiver)).size === 10);
});

test("batches are CloudEvents batches, and are signed with every key of a rotation", { tags: ["B-02"] }, async () => {
  const receiver = await receive(KEYS.old, KEYS.key);
  await subscribe({ id: "batches", receiver, bus: { secrets: ["old", "key"], batchSize: 4 } });
  await append("batches", steps("b1", 10));
  publish();
  await until(() => receiver.events.length === 10);
  expect(receiver.requests.map(({ events }) => events.length)).toEqual([4, 4, 2]);
  const [{ headers }] = receiver.requests as [ReceivedRequest];
  expect(headers["content-type"]).toBe("application/cloudevents-batch+json; charset=utf-8");
  expect(String(headers["webhook-signature"]).split(" ").length).toBe(2);
  expect(receiver.unsigned).toBe(0);
});

test("a poison event holds its run only, and becomes a dead letter", { tags: ["B-04"] }, async () => {
  const receiver = await receive();
  const tenant = { tenantId: "poison" };
  let isPoison = true;
  receiver.answer = ({ events }) => (isPoison && events.some(({ data }) => data.stepId === "bad") ? 422 : 204);
  await subscribe({ id: "poison", receiver, bus: { batchSize: 50 }, maxAttempts: 2 });
  publish();
  const bad = [event("p1", "StepStarted", "a"), event("p1", "StepStarted", "bad"), event("p1", "StepStarted", "c")];
  await append("poison", bad);
  await append("poison", steps("p2", 3));
  await until(async () => (await ledger.subscriptions.deadLetters(tenant)).length === 1);
  await append("poison", steps("p2", 3, 3));
  await until(() => receiver.events.length === 7);
  expect(placesOf(receiver).filter((place) => place.startsWith("p1"))).toEqual(["p1 1"]);
  const letter = await ledger.subscriptions.deadLetter("poison", "p1", tenant);
  expect(letter).toMatchObject({ runSeq: 2, attempts: 2, event: { runSeq: 2, stepId: "bad" } });
  expect(letter.error).toContain("422");
  expect(alerts.filter(({ runId }) => runId === "p1").map(({ code }) => code)).toEqual(["OUTBOX_DEAD_LETTER"]);
  await ledger.subscriptions.redrive("poison", "p1", tenant);
  await until(async () => (await ledger.subscriptions.deadLetters(tenant)).length === 1);
  await ledger.subscriptions.drop("poison", "p1", tenant);
  await until(() => receiver.events.length === 8);
  expect(placesOf(receiver).filter((place) => place.startsWith("p1"))).toEqual(["p1 1", "p1 3"]);
  isPoison = false;
  await expect(ledger.subscriptions.redrive("poison", "p1", tenant)).rejects.toThrow("has no dead letter");
});

test("a run whose log is damaged is reported, and the others are delivered", { tags: ["R-08"] }, async () => {
  const receiver = await receive();
  await subscribe({ id: "damaged", receiver });
  await append("damaged", steps("torn", 3));
  const client = new Client({ connectionString: database.url });
  await client.connect();
  await client.query("DELETE FROM runledger.run_events WHERE run_id = 'torn' AND run_seq = 2");
  await client.end();
  publish();
  await append("damaged", steps("whole", 2));
  await until(() => receiver.events.length === 3 && alerts.some(({ runId }) => runId === "torn"));
  expect(placesOf(receiver).sort()).toEqual(["torn 1", "whole 1", "whole 2"]);
  const [alert] = alerts.filter(({ runId }) => runId === "torn");
  expect(alert).toMatchObject({ code: "OUTBOX_RUN_FAILED" });
  expect(alert?.message).toContain("torn");
});

test("a subscription selects workflows, types, labels and its tenant", { tags: ["B-03"] }, async () => {
  const receiver = await receive();
  const filter = { workflows: ["orders"], eventTypes: ["RunQueued", "RunCompleted"], labels: { team: "blue" } };
  await subscribe({ id: "filter", receiver, filter });
  publish();
  const start = (runId: string, team: string, planId = "orders") =>
    newEvent({ runId, eventType: "RunQueued", planVersion: "1", planId, eventData: { labels: { team } } });
  await append("filter", [start("blue", "blue"), event("blue", "StepStarted", "a")]);
  await append("filter", [start("red", "red"), start("other", "blue", "invoices")]);
  await append("elsewhere", [start("foreign", "blue")]);
  await until(() => receiver.events.length === 1);
  for (const runId of ["red", "other", "blue"]) await append("filter", [event(runId, "RunCompleted")]);
  await until(() => receiver.events.length === 2);
  expect(placesOf(receiver)).toEqual(["blue 1", "blue 3"]);
});

test(
  "a subscription starts at the beginning, now or at a time, pauses, resumes and rewinds",
  { tags: ["B-03"] },
  async () => {
    const receiver = await receive();
    await append("start", steps("before", 2));
    const between = (await ledger.store.fetchEvents("before"))[1]!.persistedAt!;
    const options = { receiver, tenantId: "start" };
    for (const [id, from] of [
      ["all", "beginning"],
      ["later", new Date(Date.parse(between) + 1)],
    ] as const)
      await ledger.subscriptions.put({
        id,
        from,
        tenantId: "start",
        bus: { type: "webhook", url: `${receiver.url}?${id}` },
      });
    const byUrl = (id: string) =>
      receiver.requests.filter(({ url }) => url.endsWith(id)).flatMap(({ events }) => events);
    publish();
    await append("start", steps("after", 1));
    await until(() => byUrl("all").length === 3 && byUrl("later").length === 1);
    const tenant = { tenantId: options.tenantId };
    expect((await ledger.subscriptions.pause("all", tenant)).pausedAt).not.toBe(null);
    await append("start", steps("after", 2, 1));
    await until(() => byUrl("later").length === 3);
    expect(byUrl("all").length).toBe(3);
    await ledger.subscriptions.resume("all", tenant);
    await until(() => byUrl("all").length === 5);
    await ledger.subscriptions.rewind("all", "beginning", tenant);
    await until(() => byUrl("all").length === 10);
    await ledger.subscriptions.rewind("later", between, tenant);
    await until(() => byUrl("later").length >= 3 + 4);
    for (const id of ["all", "later"]) await ledger.subscriptions.remove(id, tenant);
    expect(await ledger.subscriptions.list(tenant)).toEqual([]);
  },
);

test("a test delivery reports what the receiver answered", { tags: ["B-03"] }, async () => {
  const receiver = await receive(KEYS.key);
  publish();
  await subscribe({ id: "test", receiver, bus: { secrets: [] } });
  expect(await ledger.subscriptions.test("test", { tenantId: "test" })).toEqual({ isDelivered: true });
  expect(receiver.events[0]).toMatchObject({ type: "dev.runledger.Test" });
  receiver.answer = () => 500;
  const failed = await ledger.subscriptions.test("test", { tenantId: "test" });
  expect(failed).toMatchObject({ isDelivered: false, error: "The webhook answered 500." });
  await expect(ledger.subscriptions.test("none")).rejects.toThrow("there is no subscription none");
});
