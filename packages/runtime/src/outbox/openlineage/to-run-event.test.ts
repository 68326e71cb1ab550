import { newEvent, type CanonicalEngineEvent, type NewEventParts } from "@runledger/contracts";
import { MemoryStore } from "@runledger/store-memory";
import { expect, test } from "vitest";
import { RunLogs, type LogReader } from "./run-logs.js";
import { toRunEvent } from "./to-run-event.js";

const nothing: LogReader = { fetchEvents: async () => [], fetchByKeys: async () => [] };

type Parts = Omit<NewEventParts, "runId" | "planVersion"> & Partial<NewEventParts>;

function recorded(parts: Parts, runSeq = 2): CanonicalEngineEvent {
  const event = newEvent({
    runId: "r",
    planId: "shop",
    planVersion: "1",
    emittedAt: "2026-11-16T08:00:00.000Z",
    ...parts,
  });
  return { ...event, runSeq, persistedAt: "2026-11-16T08:00:00.500Z" };
}

const map = (event: CanonicalEngineEvent, log = nothing, tenantId = "t") =>
  toRunEvent(event, { tenantId, namespace: "prod", logs: new RunLogs(log) });

const error = { code: "NO_DISK", message: "The disk is full.", retryable: false };

test("a step's start names its job, its attempt, its run and the engine", async () => {
  const parts = { eventType: "StepStarted", stepId: "load", adapterVersion: "embedded-v1.2.3" };
  const started = (await map(recorded(parts)))!;
  expect(started).toMatchObject({
    eventType: "START",
    eventTime: "2026-11-16T08:00:00.500Z",
    job: { namespace: "prod", name: "shop.load", facets: { jobType: { jobType: "STEP" } } },
    inputs: [],
    outputs: [],
  });
  const run = (await map(recorded({ eventType: "RunStarted" })))!;
  expect(run).toMatchObject({
    eventType: "START",
    job: { name: "shop", facets: { jobType: { jobType: "WORKFLOW" } } },
  });
  expect(started.run.facets["parent"]).toMatchObject({
    run: { runId: run.run.runId },
    job: { namespace: "prod", name: "shop" },
  });
  expect(started.run.facets["processing_engine"]).toMatchObject({ name: "runledger-embedded", version: "1.2.3" });
});

test("run ids are UUIDs of tenant, run, step and attempt, and never change", async () => {
  const step = (logicalAttemptId: string) => recorded({ eventType: "StepStarted", stepId: "load", logicalAttemptId });
  const ids = [
    (await map(step("1")))!.run.runId,
    (await map(step("2")))!.run.runId,
    (await map(step("1"), nothing, "other"))!.run.runId,
    (await map(recorded({ eventType: "RunStarted" })))!.run.runId,
  ];
  expect(ids).toEqual([
    (await map(step("1")))!.run.runId,
    (await map(recorded({ eventType: "StepFailed", stepId: "load", logicalAttemptId: "2", eventData: { error } })))!.run
      .runId,
    expect.stringMatching(/^[\da-f]{8}-[\da-f]{4}-5[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/),
    (await map(recorded({ eventType: "RunCompleted" })))!.run.runId,
  ]);
  expect(new Set(ids).size).toBe(4);
});

test("completed, failed, stopped and continued runs have their event types", async () => {
  const started = recorded({ eventType: "RunStarted" }, 1);
  const log: LogReader = { ...nothing, fetchByKeys: async () => [started] };
  const typeOf = async (eventType: string, stepId?: string, eventData = {}) => {
    const more = stepId === undefined ? {} : { stepId };
    return (await map(recorded({ eventType, eventData, ...more }), log))?.eventType ?? null;
  };
  const types = ["RunResumed", "RunReopened", "RunTakenOver", "RunCompleted", "RunFailed", "RunCancelled", "RunPaused"];
  const expected = ["RUNNING", "RUNNING", "RUNNING", "COMPLETE", "FAIL", "ABORT", null];
  expect(await Promise.all(types.map((type) => typeOf(type)))).toEqual(expected);
  expect(await typeOf("StepFailed", "load", { error })).toBe("FAIL");
  expect(await typeOf("StepFailed", "load", { error: { ...error, code: "CANCELLED" } })).toBe("ABORT");
  expect(await typeOf("StepSkipped", "load", { reason: "RUNNER" })).toBe("ABORT");
  expect(await typeOf("SignalAccepted")).toBe(null);
  expect(await typeOf("Unheard")).toBe(null);
});

test("an error is a facet, without its stack", async () => {
  const eventData = { error, stack: "at load (/srv/app/load.ts:1)" };
  const failed = await map(recorded({ eventType: "StepFailed", stepId: "load", eventData }));
  expect(failed!.run.facets["errorMessage"]).toMatchObject({ message: "NO_DISK: The disk is full." });
  expect(JSON.stringify(failed)).not.toContain("/srv/app");
});

test("a run or a step that was never started is not reported", async () => {
  const skipped = recorded({ eventType: "StepSkipped", stepId: "load", eventData: { reason: "OPERATOR" } });
  expect(await map(skipped)).toBe(null);
  expect(await map(recorded({ eventType: "RunCancelled" }))).toBe(null);
  const kept = recorded({ eventType: "StepCompleted", stepId: "load", eventData: { kept: 4 } });
  expect(await map(kept)).toBe(null);
});

test("a schedule and a parent are known to every event of a run, also to a process that has not seen its first", async () => {
  const store = new MemoryStore();
  const queue = (runId: string, planId: string, more: object = {}) =>
    newEvent({ runId, planId, planVersion: "1", eventType: "RunQueued", eventData: { plan: { planId }, ...more } });
  const schedule = { scheduleId: "s", tick: "2026-11-16T06:00:00.000Z" };
  const parent = { runId: "outer", stepId: "call" };
  const start = newEvent({ runId: "inner", planId: "bill", planVersion: "1", eventType: "RunStarted" });
  await store.appendEvents([queue("outer", "shop"), queue("inner", "bill", { schedule, parent }), start]);
  const [first, second] = (await store.fetchEvents("inner")) as [CanonicalEngineEvent, CanonicalEngineEvent];
  const late = await map(second, store);
  expect(late!.run.facets).toMatchObject({
    nominalTime: { nominalStartTime: schedule.tick },
    parent: { job: { name: "shop" } },
  });
  const logs = new RunLogs(store);
  const mapping = { tenantId: "t", namespace: "prod", logs };
  expect(await toRunEvent(first, mapping)).toBe(null);
  expect(await toRunEvent(second, mapping)).toEqual(late);
});

test("loops share a job, and their passes are not reported", async () => {
  const nameOf = async (stepId: string) =>
    (await map(recorded({ eventType: "StepStarted", stepId })))?.job.name ?? null;
  expect(await nameOf("tables/3/copy")).toBe("shop.tables.copy");
  expect(await nameOf("tables/3/rows/1/copy")).toBe("shop.tables.rows.copy");
  expect(await nameOf("tables/3")).toBe(null);
  expect(await nameOf("build/model.shop.orders")).toBe("shop.build.model.shop.orders");
  expect(await nameOf("compensate/tables/3/copy")).toBe("shop.compensate.tables.copy");
});
