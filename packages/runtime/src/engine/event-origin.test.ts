/** The origin of events on PostgreSQL: version, executor and parent (N5), and the engine attempt (D5). */
import { afterAll, beforeAll, expect, test } from "vitest";
import type { CanonicalEngineEvent } from "@runledger/contracts";
import { freshDatabase, type FreshDatabase } from "@runledger/test-support/fresh-database";
import { until } from "@runledger/test-support/until";
import { packageVersion } from "../config/package-version.js";
import { connect, workflow } from "../index.js";

type Ledger = Awaited<ReturnType<typeof connect>>;
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

const flow = workflow("origin", { version: "1" }, (w) => {
  const first = w.step("first", () => 1);
  const items = w.forEach("items", { after: [first], items: () => ["a", "b"] }, (inner) =>
    inner.step("one", ({ item }) => item),
  );
  const nap = w.sleep("nap", { after: [items], for: "400ms" });
  const go = w.waitForSignal("go", { after: [nap] });
  return w.step("last", { after: [go] }, () => "done");
});

const labelOf = ({ eventType, stepId }: CanonicalEngineEvent): string => [eventType, stepId].join(" ").trim();

/** Returns each event with the event that it names as its parent. */
function parentsIn(events: readonly CanonicalEngineEvent[]): Record<string, string | undefined> {
  const labels = new Map(events.map((event) => [event.eventId, labelOf(event)]));
  return Object.fromEntries(events.map((event) => [labelOf(event), labels.get(event.parentEventId ?? "")]));
}

test("events name the event that they follow from, also after the run waited", { tags: ["R-10"] }, async () => {
  const worker = await ledger.worker({ workflows: [flow] });
  const run = await ledger.start(flow);
  await until(async () => (await ledger.store.projectSnapshot(run.id)).waits?.["signal go"] === 1);
  await run.signal("go" as never, {} as never);
  expect(await run.result()).toBe("done");
  await worker.stop();
  const events = await ledger.store.fetchEvents(run.id);
  expect(parentsIn(events)).toEqual({
    RunQueued: undefined,
    RunStarted: "RunQueued",
    "StepStarted first": "RunStarted",
    "StepCompleted first": "StepStarted first",
    "StepStarted items": "StepCompleted first",
    "StepStarted items/0/one": "StepStarted items",
    "StepStarted items/1/one": "StepStarted items",
    "StepCompleted items/0/one": "StepStarted items/0/one",
    "StepCompleted items/1/one": "StepStarted items/1/one",
    "StepCompleted items": "StepStarted items",
    "StepStarted nap": "StepCompleted items",
    "StepCompleted nap": "StepStarted nap", // the worker resumed from a checkpoint, and no event came after it
    "StepStarted go": "StepCompleted nap",
    SignalAccepted: undefined,
    "StepCompleted go": "StepStarted go", // its data names the signal
    "StepStarted last": "StepCompleted go",
    "StepCompleted last": "StepStarted last",
    RunCompleted: "StepCompleted last",
  });
});

test("events name the engine's version and the worker that executes the run", { tags: ["R-10"] }, async () => {
  const short = workflow("short", { version: "1" }, (w) => w.step("last", { after: [w.waitForSignal("go")] }, () => 1));
  const first = await ledger.worker({ workflows: [short] });
  const run = await ledger.start(short);
  await until(async () => (await ledger.store.projectSnapshot(run.id)).waits?.["signal go"] === 1);
  await first.stop();
  await run.signal("go" as never, {} as never);
  const second = await ledger.worker({ workflows: [short] });
  await run.result();
  const events = await ledger.store.fetchEvents(run.id);
  const own = events.filter(({ eventType }) => eventType !== "RunQueued" && eventType !== "SignalAccepted");
  expect(new Set(own.map(({ adapterVersion }) => adapterVersion))).toEqual(new Set([`embedded-v${packageVersion()}`]));
  const refs = [first, second].map(({ id }, index) => ({ engine: "embedded", workerId: id, epoch: index + 1 }));
  const started = events.find(({ eventType }) => eventType === "RunStarted");
  const resumed = events.find(({ eventType, stepId }) => eventType === "StepCompleted" && stepId === "go");
  expect([started!.engineRunRef, resumed!.engineRunRef]).toEqual(refs);
  expect((await ledger.store.projectSnapshot(run.id)).engineRunRef).toEqual(refs[1]);
});

test("D5: an engine attempt counts take-overs of an attempt, not waits of the run", { tags: ["R-10"] }, async () => {
  let calls = 0;
  let release = (): void => {};
  const released = new Promise<void>((resolve) => (release = resolve));
  const slow = async (): Promise<number> => {
    calls++;
    await released;
    return calls;
  };
  const waits = workflow("waits", { version: "1" }, (w) => {
    const first = w.waitForSignal("first");
    const second = w.waitForSignal("second", { after: [first] });
    return w.step("slow", { after: [second] }, slow);
  });
  const worker = await ledger.worker({ workflows: [waits] });
  const run = await ledger.start(waits);
  for (const name of ["first", "second"]) {
    await until(async () => (await ledger.store.projectSnapshot(run.id)).waits?.[`signal ${name}`] === 1);
    await run.signal(name as never, {} as never);
  }
  await until(() => calls === 1);
  await Promise.all([worker.stop(), worker.stop()]); // the second call hands the run over
  await ledger.worker({ workflows: [waits] });
  await until(() => calls === 2);
  expect((await ledger.store.projectSnapshot(run.id)).steps.at(-1)).toMatchObject({
    stepId: "slow",
    engineAttemptId: "2",
  });
  release();
  expect(await run.result()).toBe(2);
  const steps = (await ledger.store.fetchEvents(run.id)).filter(({ stepId }) => stepId !== undefined);
  expect(steps.map((event) => `${labelOf(event)} ${event.engineAttemptId}`)).toEqual([
    "StepStarted first 1",
    "StepCompleted first 1",
    "StepStarted second 1",
    "StepCompleted second 1",
    "StepStarted slow 1",
    "StepCompleted slow 2",
  ]);
});
