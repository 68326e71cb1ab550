// @module-tag R-08
/** A step or closure that kills its workers fails alone (D5). */
import { expect, test } from "vitest";
import { checkHistory } from "@runledger/store-conformance";
import { testLedger, type TestLedger } from "../testing/test-ledger.js";
import { workflow } from "../workflow/workflow.js";

const never = (): Promise<number> => new Promise(() => {});
let ledger: TestLedger;
let kills = 0;

/** Kills its worker until it has done so this many times. */
function killsWorkers(times: number): () => Promise<number> {
  return async () => {
    if (kills >= times) return kills;
    kills++;
    ledger.crash();
    return never();
  };
}

async function errorOf(run: { snapshot(): Promise<unknown> }): Promise<unknown> {
  return ((await run.snapshot()) as { error?: unknown }).error;
}

async function takeOvers(run: { events(): Promise<readonly { eventType: string; eventData?: unknown }[]> }) {
  const events = (await run.events()).filter(({ eventType }) => eventType === "RunTakenOver");
  return events.map(({ eventData }) => (eventData as { stepsInFlight: string[] }).stepsInFlight);
}

async function open(...workflows: Parameters<typeof testLedger>[0]["workflows"]): Promise<TestLedger> {
  kills = 0;
  ledger = await testLedger({ workflows });
  return ledger;
}

test("a step that loses four workers and then ends is completed", async () => {
  const flow = workflow("four", { version: "1" }, (w) => w.step("kill", killsWorkers(4)));
  await using t = await open(flow);
  const run = await t.start(flow);
  await t.advance("5m");
  expect(await run.result()).toBe(4);
  expect(kills).toBe(4);
});

test("a step that loses five workers fails with WORKER_LOST and is not run a sixth time", async () => {
  const flow = workflow("five", { version: "1" }, (w) => w.step("kill", killsWorkers(9)));
  await using t = await open(flow);
  const run = await t.start(flow);
  await t.advance("5m");
  expect(kills).toBe(5);
  expect(await errorOf(run)).toMatchObject({
    code: "WORKER_LOST",
    message: expect.stringContaining(
      "5 workers were lost while they ran this step, the last 3 while they did nothing",
    ) as string,
  });
  expect(checkHistory(await t.history()).violations).toEqual([]);
});

test("runs and steps beside a step that kills its workers are taken over twice and complete", async () => {
  let waiting: ((value: string) => void)[] = [];
  let isKilling = false;
  const slow = (): Promise<string> => new Promise((resolve) => waiting.push(resolve));
  const innocent = workflow("innocent", { version: "1" }, (w) => w.step("slow", slow));
  const culprit = workflow("culprit", { version: "1" }, (w) => {
    w.step("beside", slow);
    w.step("kill", () => {
      isKilling = true;
      return never();
    });
  });
  await using t = await open(innocent, culprit);
  const others = [await t.start(innocent), await t.start(innocent)];
  const run = await t.start(culprit);
  for (let round = 0; round < 60; round++) {
    if (isKilling) {
      kills++;
      t.crash(); // before the steps beside it are finished
    } else for (const finish of waiting) finish("done");
    isKilling = false;
    waiting = [];
    await t.advance("5s");
  }
  expect(kills).toBe(5);
  for (const other of others) {
    expect(await other.result()).toBe("done");
    expect(await takeOvers(other)).toEqual([["slow"], ["slow"]]);
  }
  const steps = (await run.snapshot()).steps.map(({ stepId, status }) => [stepId, status]);
  expect(Object.fromEntries(steps)).toEqual({ beside: "SUCCESS", kill: "FAILED" });
  expect(await errorOf(run)).toMatchObject({ code: "WORKER_LOST" });
  expect(await takeOvers(run)).toEqual([["beside", "kill"], ["beside", "kill"], ["kill"], ["kill"], ["kill"]]);
  expect(checkHistory(await t.history()).violations).toEqual([]);
});

test("a closure that loses five workers fails its container with WORKER_LOST", { tags: ["R-06"] }, async () => {
  const flow = workflow("closure", { version: "1" }, (w) =>
    w.when("hangs", { if: () => killsWorkers(9)() as never }, (body) => body.step("inside", () => 1)),
  );
  await using t = await open(flow);
  const run = await t.start(flow);
  await t.advance("5m");
  expect(kills).toBe(5);
  expect((await run.snapshot()).steps).toMatchObject([
    { stepId: "hangs", status: "FAILED", error: { code: "WORKER_LOST" } },
  ]);
});

test("an operator cancels a suspect while its worker finishes other steps", async () => {
  let release = (): void => {};
  const long = workflow("long", { version: "1" }, (w) =>
    w.step("long", () => (kills < 2 ? 0 : new Promise<number>((resolve) => (release = () => resolve(1))))),
  );
  const flow = workflow("suspect", { version: "1" }, (w) => w.step("kill", killsWorkers(9)));
  await using t = await open(long, flow);
  const run = await t.start(flow);
  await t.advance("15s");
  expect(kills).toBe(2);
  const busy = await t.start(long); // runs when the lease of the second worker expires
  await t.advance("10s");
  await t.act(run, "CANCEL");
  expect((await run.snapshot()).status).toBe("CANCELLED");
  expect(kills).toBe(2);
  release();
  expect(await busy.result()).toBe(1);
});
