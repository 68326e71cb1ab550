/** An activity whose first append comes too late has done no work. The execution must ask for the work again (T1). */
import { SeqMismatchError, type FullStateStore, type NewEvent } from "@runledger/contracts";
import { temporalEngine } from "@runledger/engine-temporal";
import { childRunId, childRuns } from "@runledger/runtime/engine/children";
import { partsOf, type RunningEngine } from "@runledger/runtime/engine/engine";
import { publishPlan } from "@runledger/runtime/runs/publish-plan";
import { sendSignal } from "@runledger/runtime/runs/signals";
import { startRun } from "@runledger/runtime/runs/start-run";
import { compiledOf, type CompiledWorkflow } from "@runledger/runtime/workflow/compiled-workflow";
import { MemoryStore } from "@runledger/store-memory";
import { startAnyTemporal } from "@runledger/test-support/java-test-server";
import { describeWith } from "@runledger/test-support/requirements";
import { requireAnyTemporal } from "@runledger/test-support/temporal-provisioning";
import { until } from "@runledger/test-support/until";
import { workflow } from "runledger";
import { expect, onTestFinished, test } from "vitest";

const child = workflow("late-child", {}, (w) => w.waitForSignal("go"));
const parent = workflow("late-parent", {}, (w) => {
  w.waitForSignal("go");
  return w.child("kid", child);
});
const plans = [parent, child].map(compiledOf);

describeWith("late drafts on a Temporal server", [requireAnyTemporal], () => {
  test("a run sees the end of its child although the append before that was refused", { tags: ["T-10"] }, async () => {
    const server = await startAnyTemporal();
    onTestFinished(() => server.stop());
    const { store, refused } = refuseFirstEnd("go", new MemoryStore());
    for (const { plan } of plans) await publishPlan(store, plan);
    const address = server.address;
    const seen = (runId: string, eventType: string, stepId?: string) =>
      until(() => has(store, runId, eventType, stepId));

    const first = await startWorker(address, store, plans);
    await startRun(store, plans[0]!, undefined, { runId: "late", requestId: "late" });
    first.start();
    await seen("late", "StepStarted", "kid");
    const childId = childRunId("late", { stepId: "kid", attempt: 1 });
    await seen(childId, "StepStarted", "go");
    await first.stop();

    await sendSignal({ store }, childId, "go", null);
    const second = await startWorker(address, store, plans.slice(1));
    second.start();
    await seen(childId, "RunCompleted");
    await second.stop();

    await sendSignal({ store }, "late", "go", null);
    const third = await startWorker(address, store, plans);
    onTestFinished(() => third.stop());
    third.start();
    await seen("late", "RunCompleted");
    expect(refused()).toBe(1);
  });
});

async function startWorker(
  address: string,
  store: FullStateStore,
  workflows: readonly CompiledWorkflow[],
): Promise<RunningEngine> {
  const engine = partsOf(temporalEngine({ address, taskQueue: "late" }));
  const children = childRuns(store, workflows);
  return engine.startWorker({ id: engine.workerId!, store, options: { workflows }, children, timers: undefined });
}

async function has(store: FullStateStore, runId: string, eventType: string, stepId?: string): Promise<boolean> {
  const events = await store.fetchEvents(runId);
  return events.some((event) => event.eventType === eventType && event.stepId === stepId);
}

/** Refuses the first append of the end of a step, as if another activity of the run had appended before it. */
function refuseFirstEnd(
  stepId: string,
  inner: FullStateStore,
): { readonly store: FullStateStore; readonly refused: () => number } {
  let refused = 0;
  const isEnd = (event: NewEvent): boolean =>
    event.runId === "late" && event.stepId === stepId && event.eventType === "StepCompleted";
  const appendEvents: FullStateStore["appendEvents"] = async (events, options) => {
    if (refused > 0 || !events.some(isEnd)) return inner.appendEvents(events, options);
    refused += 1;
    throw new SeqMismatchError("late", options!.expectedSeq!, options!.expectedSeq! + 1);
  };
  const store = new Proxy(inner, {
    get: (target, key) => {
      if (key === "appendEvents") return appendEvents;
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === "function" ? (value.bind(target) as unknown) : value;
    },
  });
  return { store, refused: () => refused };
}
