// @module-tag E-21
/** Tests races in their worst order: a worker's call is suspended, another call gets in between, the first continues. */
import { expect, test } from "vitest";
import type { AppendOptions, NewEvent } from "@runledger/contracts";
import { checkHistory } from "@runledger/store-conformance";
import { workflow } from "runledger";
import { testLedger, type CallPoint, type StoreCall, type TestLedger, type TestRun } from "runledger/testing";

const waits = workflow("waits", { version: "1" }, (w) => {
  const first = w.waitForSignal("go", { id: "first" });
  const second = w.waitForSignal("go", { id: "second", after: [first] });
  return w.step("end", { needs: { first, second } }, ({ needs }) => [needs.first, needs.second]);
});

const waitsOnce = workflow("waits-once", { version: "1" }, (w) =>
  w.waitForSignal("go", { timeout: "1h", onTimeout: "continue" }),
);

const works = workflow("works", { version: "1" }, (w) => w.step("work", () => "done"));

const kid = workflow("kid", { version: "1" }, (w) => w.step("work", () => "grown up"));
const parent = workflow("parent", { version: "1" }, (w) => w.child("kid", kid));

/** Matches the worker's append of an event of this type. */
function appending(eventType: string): CallPoint {
  const where = ({ args }: StoreCall): boolean =>
    (args[0] as readonly NewEvent[]).some((event) => event.eventType === eventType && hasFence(args));
  return { when: "before", call: "appendEvents", where };
}

function hasFence(args: readonly unknown[]): boolean {
  return (args[1] as AppendOptions | undefined)?.fence !== undefined;
}

const parking: CallPoint = { when: "before", call: "queue.parkRun" };

async function typesIn(run: TestRun): Promise<string[]> {
  return (await run.events()).map(({ eventType, stepId }) =>
    stepId === undefined ? eventType : `${eventType} ${stepId}`,
  );
}

async function isClean(ledger: TestLedger): Promise<void> {
  expect(checkHistory(await ledger.history()).violations).toEqual([]);
  await ledger.close();
}

test.each(["before", "after"] as const)("a signal races with a park, held %s it", async (when) => {
  const t = await testLedger({ workflows: [waitsOnce] });
  const park = t.hold({ ...parking, when });
  const run = await t.start(waitsOnce);
  expect(park.reached).toBe(true);
  await t.signal(run, "go", { by: "me" });
  if (when === "before") expect(await typesIn(run)).not.toContain("StepCompleted go");
  park.release();
  await t.settle(); // no time passes: only the signal can have woken the run
  expect((await run.snapshot()).status).toBe("COMPLETED");
  expect(await run.result()).toEqual({ by: "me" });
  await isClean(t);
});

test.each(["before", "after"] as const)("a child's end races with its parent's park, held %s it", async (when) => {
  const t = await testLedger({ workflows: [parent, kid] });
  const isParent = ({ args }: StoreCall): boolean => (args[0] as { readonly runId: string }).runId === "p";
  const park = t.hold({ ...parking, when, where: isParent });
  const run = await t.start(parent, { runId: "p" });
  expect(park.reached).toBe(true);
  const [, child] = (await t.store.listHeads()).map(({ runId }) => runId);
  expect((await t.store.projectSnapshot(child!)).status).toBe("COMPLETED");
  park.release();
  await t.settle();
  expect((await run.snapshot()).status).toBe("COMPLETED");
  expect(await run.result()).toBe("grown up");
  await isClean(t);
});

test("a cancel races with completion: the first recorded event wins", async () => {
  const t = await testLedger({ workflows: [works] });
  const completing = t.hold(appending("RunCompleted"));
  const run = await t.start(works);
  expect(completing.reached).toBe(true);
  await run.act("CANCEL");
  completing.release();
  await t.settle();
  expect((await run.snapshot()).status).toBe("CANCELLED");
  expect(await typesIn(run)).not.toContain("RunCompleted");
  await isClean(t);
});

test("a cancel after completion is rejected and recorded", async () => {
  const t = await testLedger({ workflows: [works] });
  const completing = t.hold({ ...appending("RunCompleted"), when: "after" });
  const run = await t.start(works);
  expect(completing.reached).toBe(true);
  await expect(run.act("CANCEL")).rejects.toMatchObject({ code: "SIGNAL_REJECTED" });
  completing.release();
  await t.settle();
  expect((await typesIn(run)).slice(-2)).toEqual(["RunCompleted", "SignalRejected"]);
  expect((await run.snapshot()).status).toBe("COMPLETED");
  await isClean(t);
});

test("two signals for one wait: the first is taken, the second is kept for the next wait", async () => {
  const t = await testLedger({ workflows: [waits] });
  const run = await t.start(waits);
  const taking = t.hold(appending("StepCompleted"));
  await t.signal(run, "go", 1);
  expect(taking.reached).toBe(true);
  await t.signal(run, "go", 2);
  taking.release();
  expect(await run.result()).toEqual([1, 2]);
  await isClean(t);
});

test("two signals for one wait: the second stays untaken and is delivered once", async () => {
  const t = await testLedger({ workflows: [waits] });
  const run = await t.start(waits);
  const taking = t.hold({ ...appending("StepCompleted"), when: "after" });
  await t.signal(run, "go", "a");
  await t.signal(run, "go", "b");
  taking.release();
  expect(await run.result()).toEqual(["a", "b"]);
  const taken = (await run.events()).filter(({ causedBySignalId }) => causedBySignalId !== undefined);
  expect(new Set(taken.map(({ causedBySignalId }) => causedBySignalId)).size).toBe(2);
  await isClean(t);
});

test("a signal races with its wait's timeout: a recorded signal is not skipped", async () => {
  const t = await testLedger({ workflows: [waitsOnce] });
  const run = await t.start(waitsOnce);
  const timingOut = t.hold(appending("StepCompleted"));
  await t.advance("1h");
  expect(timingOut.reached).toBe(true);
  await t.signal(run, "go", "just in time");
  timingOut.release();
  expect(await run.result()).toBe("just in time");
  await isClean(t);
});

test("the fence rejects an append that arrives after its sender was replaced", async () => {
  const t = await testLedger({ workflows: [works] });
  const beginning = t.hold(appending("StepStarted"));
  const run = await t.start(works);
  await run.act("CANCEL");
  t.crash(); // its append is still in flight
  await t.advance("10s");
  expect((await run.snapshot()).status).toBe("CANCELLED");
  beginning.release();
  await t.settle();
  expect((await run.snapshot()).status).toBe("CANCELLED");
  expect(await typesIn(run)).not.toContain("StepStarted work");
  await isClean(t);
});
