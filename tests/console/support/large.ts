/** Writes the events of large runs directly, as an engine would have. */
import { newEvent, type NewEvent, type Plan } from "@runledger/contracts";
import { compilePlan } from "@runledger/core";
import type { Ledger } from "runledger";

const BATCH = 2000;
const BEGIN = Date.parse("2026-11-14T03:00:00.000Z");

type Part = Pick<NewEvent, "eventType"> &
  Partial<Pick<NewEvent, "stepId" | "eventData" | "logicalAttemptId">> & {
    /** The time since the previous event, in milliseconds. Default: 1. */
    readonly afterMs?: number;
  };

/** Appends a run of the plan. */
export async function writeRun({ store }: Ledger, runId: string, plan: Plan, parts: Iterable<Part>): Promise<number> {
  await store.plans.registerPlan(plan);
  const { planId, planVersion, hash } = plan;
  let count = 0;
  let at = BEGIN;
  let batch: NewEvent[] = [];
  const add = async ({ afterMs = 1, ...part }: Part): Promise<void> => {
    count++;
    const emittedAt = new Date((at += afterMs)).toISOString();
    batch.push(newEvent({ runId, planId, planVersion, emittedAt, engineAttemptId: "1", ...part }));
    if (batch.length === BATCH) await flush();
  };
  const flush = async (): Promise<void> => {
    await store.appendEvents(batch);
    batch = [];
  };
  await add({ eventType: "RunQueued", eventData: { plan: { planId, planVersion, hash }, logFormat: 1 } });
  await add({ eventType: "RunStarted" });
  for (const part of parts) await add(part);
  await add({ eventType: "RunCompleted" });
  await flush();
  return count;
}

/** Lists items, processes each, and reports. */
export const eachPlan = compilePlan({
  id: "each-order",
  version: "1.0.0",
  body: {
    steps: [
      { id: "list", kind: "function" },
      {
        id: "orders",
        kind: "forEach",
        after: ["list"],
        concurrency: 20,
        bodies: [{ steps: [{ id: "check", kind: "function" }] }],
      },
      { id: "report", kind: "function", after: ["orders"] },
    ],
  },
});

/** Twenty items run at a time. Every hundredth fails once. */
export function* eachEvents(items: number): Generator<Part> {
  yield* whole("list");
  yield {
    eventType: "StepStarted",
    stepId: "orders",
    eventData: { opened: { count: items, items: { range: items } } },
  };
  for (let at = 0; at < items + 20; at++) {
    if (at < items) yield { eventType: "StepStarted", stepId: `orders/${at}/check` };
    if (at >= 20) yield { eventType: "StepCompleted", stepId: `orders/${at - 20}/check`, eventData: { output: at } };
  }
  yield { eventType: "StepCompleted", stepId: "orders" };
  yield* whole("report");
}

export const retriedPlan = compilePlan({
  id: "late-retry",
  version: "1.0.0",
  body: {
    steps: [
      { id: "load", kind: "function" },
      { id: "release", kind: "wait", signal: "release", after: ["load"] },
      { id: "publish", kind: "function", after: ["release"] },
    ],
  },
});

const MINUTE = 60_000;

/** Works for 2 s, fails, works for 3 s when an operator retries it after 44 minutes, and waits two days for a release. */
export function* retriedEvents(): Generator<Part> {
  const error = { code: "STEP_ERROR", message: "the warehouse was closed", retryable: true };
  yield { eventType: "StepStarted", stepId: "load" };
  yield { eventType: "StepFailed", stepId: "load", eventData: { error }, afterMs: 2000 };
  yield { eventType: "RunFailed", eventData: { error, culprit: "load" } };
  yield { eventType: "RunReopened", eventData: { steps: ["load"] }, afterMs: 44 * MINUTE };
  yield { eventType: "StepStarted", stepId: "load", logicalAttemptId: "2" };
  yield { eventType: "StepCompleted", stepId: "load", logicalAttemptId: "2", afterMs: 3000 };
  yield { eventType: "StepStarted", stepId: "release", eventData: { waitsFor: "signal release" } };
  yield { eventType: "StepCompleted", stepId: "release", afterMs: 2 * 24 * 60 * MINUTE };
  yield* whole("publish");
}

const TAKE_OVER: Part = {
  eventType: "RunTakenOver",
  eventData: { epoch: 2, workerId: "worker-2", stepsInFlight: [] },
};

/** A hundred items that fail in turns and are retried until the last attempt, two events each. One worker takes over. */
export function* stubbornEvents(tries: number): Generator<Part> {
  const items = Array.from({ length: 100 }, (_, item) => `orders/${item}/check`);
  const error = { code: "BUSY", message: "the service is busy", retryable: true };
  yield* whole("list");
  yield { eventType: "StepStarted", stepId: "orders", eventData: { opened: { count: 100, items: { range: 100 } } } };
  for (let attempt = 1; attempt <= tries; attempt++) {
    const logicalAttemptId = String(attempt);
    const end: Part =
      attempt < tries
        ? { eventType: "StepFailed", eventData: { error, retryAt: "2026-11-14T03:00:00.000Z" } }
        : { eventType: "StepCompleted", eventData: { output: attempt } };
    if (attempt === Math.ceil(tries / 2)) yield TAKE_OVER;
    for (const stepId of items) {
      yield { eventType: "StepStarted", stepId, logicalAttemptId };
      yield { ...end, stepId, logicalAttemptId };
    }
  }
  yield { eventType: "StepCompleted", stepId: "orders" };
  yield* whole("report");
}

function* whole(stepId: string): Generator<Part> {
  yield { eventType: "StepStarted", stepId };
  yield { eventType: "StepCompleted", stepId, eventData: { output: { from: stepId } } };
}

/** Layers of a hundred steps. Each step comes after two steps of the previous layer. */
export function widePlan(steps: number): Plan {
  const before = (at: number): readonly string[] =>
    at < 100 ? [] : [`s${at - 100}`, `s${at - 100 - (at % 100) + ((at + 1) % 100)}`];
  return compilePlan({
    id: "wide",
    version: "1.0.0",
    body: {
      steps: Array.from({ length: steps }, (_, at) => ({ id: `s${at}`, kind: "function", after: before(at) })),
    },
  });
}

export function* wideEvents(steps: number): Generator<Part> {
  for (let at = 0; at < steps; at++) yield* whole(`s${at}`);
}
