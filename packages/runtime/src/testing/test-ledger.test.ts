// @module-tag E-24
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { z } from "zod";
import type { NewEvent } from "@runledger/contracts";
import { checkHistory } from "@runledger/store-conformance";
import { workflow } from "../workflow/workflow.js";
import { testLedger, type RecordedHistory, type StoreCall } from "./index.js";

const release = workflow(
  "release",
  { version: "1", input: z.object({ day: z.string() }), signals: { release: z.object({ by: z.string() }) } },
  (w) => {
    const load = w.step("load", ({ input }) => ({ rows: input.day.length }));
    const released = w.waitForSignal("release", { after: [load], timeout: "3d" });
    return w.step(
      "publish",
      { needs: { load, released } },
      ({ needs }) => `${needs.load.rows} by ${needs.released.by}`,
    );
  },
);

test("a three-day wait: time passes only when the test advances it", async () => {
  const start = performance.now();
  await using t = await testLedger({ workflows: [release] });
  const run = await t.start(release, { input: { day: "2026-11-14" } });
  const began = t.now().getTime();
  await t.advance("2d");
  expect((await run.snapshot()).status).toBe("RUNNING");
  await t.advance("1d");
  expect((await run.snapshot()).status).toBe("FAILED");
  expect(t.now().getTime() - began).toBe(3 * 24 * 3_600_000);
  const failed = (await run.events()).find(({ eventType }) => eventType === "StepFailed")!;
  expect(failed).toMatchObject({ stepId: "release", eventData: { error: { code: "TIMEOUT" } } });
  expect(Date.parse(failed.emittedAt) - began).toBe(3 * 24 * 3_600_000);
  console.log(`three days took ${Math.round(performance.now() - start)} ms`);
});

test("a signal arrives in time, and result() returns the output", async () => {
  await using t = await testLedger({ workflows: [release] });
  const run = await t.start(release, { input: { day: "2026-11-14" } });
  await t.advance("47h");
  await run.signal("release", { by: "you" });
  expect(await run.result()).toBe("10 by you");
});

test("result() advances time through backoff, sleeps and retries", async () => {
  const flaky = workflow("flaky", { version: "1" }, (w) => {
    const nap = w.sleep("nap", { for: "8h" });
    return w.step("try", { after: [nap], retry: { attempts: 4, delay: "1h", maxDelay: "1d" } }, ({ attempt }) => {
      if (attempt < 4) throw new Error("not yet");
      return attempt;
    });
  });
  await using t = await testLedger({ workflows: [flaky] });
  const began = t.now().getTime();
  const run = await t.start(flaky);
  expect(await run.result()).toBe(4);
  expect(t.now().getTime() - began).toBeGreaterThan(11 * 3_600_000);
});

test("a run that can never finish reports what it waits for", async () => {
  const stuck = workflow("stuck", { version: "1" }, (w) => w.waitForSignal("never"));
  await using t = await testLedger({ workflows: [stuck] });
  const run = await t.start(stuck);
  await expect(run.result()).rejects.toThrow(/RUNNING at never/);
});

test("a worker dies after the n-th append, and another takes over after the lease expires", async () => {
  let calls = 0;
  const charge = workflow("charge", { version: "1" }, (w) => w.step("charge", () => ++calls));
  await using t = await testLedger({ workflows: [charge] });
  t.crash({ nth: 1 }); // RunStarted and StepStarted
  const run = await t.start(charge);
  await t.advance("9s");
  expect(calls).toBe(0);
  await t.advance("1s");
  expect((await run.snapshot()).status).toBe("COMPLETED");
  const events = await run.events();
  const takeOver = events.find(({ eventType }) => eventType === "RunTakenOver");
  expect(takeOver?.eventData).toMatchObject({ epoch: 2, stepsInFlight: ["charge"] });
  expect(checkHistory(await t.history()).violations).toEqual([]);
});

test.each([
  ["before the claim", { when: "before", call: "queue.claimRuns" }],
  ["after the claim", { when: "after", call: "queue.claimRuns" }],
  ["before a park", { when: "before", call: "queue.parkRun" }],
  ["after a park", { when: "after", call: "queue.parkRun" }],
  ["before the end is recorded", { when: "before", where: appends("RunCompleted") }],
  ["after the end is recorded", { when: "after", where: appends("RunCompleted") }],
] as const)("a crash can be placed %s", async (_, at) => {
  await using t = await testLedger({ workflows: [release] });
  t.crash(at);
  const run = await t.start(release, { input: { day: "2026-11-14" } });
  await t.advance("1m");
  await run.signal("release", { by: "you" });
  expect(await run.result()).toBe("10 by you");
  expect(checkHistory(await t.history()).violations).toEqual([]);
});

function appends(eventType: string): (call: StoreCall) => boolean {
  return ({ args }) => (args[0] as readonly NewEvent[]).some((event) => event.eventType === eventType);
}

test("a recorded history can be saved and checked later, and a forged one is detected", async () => {
  await using t = await testLedger({ workflows: [release] });
  t.crash({ nth: 2 });
  const run = await t.start(release, { input: { day: "2026-11-14" } });
  await run.ended();
  const kept = JSON.stringify(await t.history());
  const history = JSON.parse(kept) as RecordedHistory;
  expect(history.logs).toEqual([{ runId: run.id, events: await run.events() }]);
  expect(new Set(history.operations.map(({ client }) => client))).toEqual(new Set(["client", "worker-1", "worker-2"]));
  expect(checkHistory(history).violations).toEqual([]);
  const logs = history.logs.map(({ runId, events }) => ({ runId, events: events.slice(0, -1) }));
  expect(checkHistory({ ...history, logs }).violations).toMatchObject([{ invariant: "acknowledged-in-log" }]);
});

test("a test is deterministic", async () => {
  const story = async (): Promise<unknown> => {
    await using t = await testLedger({ workflows: [release] });
    t.crash({ nth: 3 });
    const run = await t.start(release, { input: { day: "2026-11-14" } });
    await run.ended();
    const events = await run.events();
    const seqs = new Map(events.map(({ eventId, runSeq }) => [eventId, runSeq]));
    return events.map(({ eventId, parentEventId = "", ...event }) => {
      return { ...event, isUuid: eventId.length === 36, parent: seqs.get(parentEventId) };
    });
  };
  expect(await story()).toEqual(await story());
});

test("the clock waits for a step that does real I/O", async () => {
  const folder = await mkdtemp(join(tmpdir(), "runledger-testing-"));
  await writeFile(join(folder, "a.txt"), "hello");
  const reads = workflow("reads", { version: "1" }, (w) =>
    w.step("read", () => readFile(join(folder, "a.txt"), "utf8")),
  );
  await using t = await testLedger({ workflows: [reads] });
  const run = await t.start(reads);
  expect((await run.snapshot()).status).toBe("COMPLETED");
  expect(await run.result()).toBe("hello");
  await rm(folder, { recursive: true });
});

test("a hanging step does not block the clock: its timeout fires", async () => {
  const hangs = workflow("hangs", { version: "1" }, (w) =>
    w.step("hang", { timeout: "10m" }, () => new Promise<string>(() => {})),
  );
  await using t = await testLedger({ workflows: [hangs] });
  const run = await t.start(hangs);
  await t.advance("9m");
  expect((await run.snapshot()).status).toBe("RUNNING");
  await t.advance("1m");
  expect(await run.ended()).toMatchObject({ status: "FAILED", error: { code: "TIMEOUT" } });
});

test("operators can pause, resume and cancel", async () => {
  const long = workflow("long", { version: "1" }, (w) => {
    const nap = w.sleep("nap", { for: "1h" });
    return w.step("end", { after: [nap] }, () => "ended");
  });
  await using t = await testLedger({ workflows: [long] });
  const run = await t.start(long);
  await run.act("PAUSE");
  await t.advance("2h");
  expect((await run.snapshot()).status).toBe("PAUSED");
  await t.act(run, "RESUME");
  expect(await run.result()).toBe("ended");
  const other = await t.start(long);
  await other.act("CANCEL");
  expect((await other.ended()).status).toBe("CANCELLED");
});
