/** Uses an engine only through its port, as the ledger does. The engine polls so rarely that only these calls cause work. */
import type { FullStateStore } from "@runledger/contracts";
import { childRuns } from "@runledger/runtime/engine/children";
import { partsOf, type Engine, type RunningEngine } from "@runledger/runtime/engine/engine";
import { publishPlan } from "@runledger/runtime/runs/publish-plan";
import { sendAction, sendSignal } from "@runledger/runtime/runs/signals";
import { startRun } from "@runledger/runtime/runs/start-run";
import { compiledOf } from "@runledger/runtime/workflow/compiled-workflow";
import { until } from "@runledger/test-support/until";
import { workflow } from "runledger";
import { expect } from "vitest";

const NEVER_MS = 3_600_000;

/** Runs a step until it is aborted, after a signal. */
const flow = workflow("port", { version: "1" }, (w) => {
  const go = w.waitForSignal("go");
  return w.step(
    "work",
    { after: [go] },
    ({ signal }) =>
      new Promise<string>((_, reject) => {
        signal.addEventListener("abort", () => reject(new Error("stopped")));
      }),
  );
});
const compiled = compiledOf(flow);

export async function startPort(engine: Engine, store: FullStateStore): Promise<RunningEngine> {
  await publishPlan(store, compiled.plan);
  const { workerId, startWorker } = partsOf(engine);
  const options = { workflows: [compiled], pollMs: NEVER_MS };
  const children = childRuns(store, [compiled]);
  return startWorker({ id: workerId ?? "worker-port", store, options, children, timers: undefined });
}

export async function checkPort(running: RunningEngine, store: FullStateStore): Promise<void> {
  const queue = async (runId: string): Promise<void> => {
    await startRun(store, compiled, undefined, { runId, requestId: runId });
  };
  const happened = (runId: string, eventType: string, stepId?: string) =>
    until(async () => {
      const events = await store.fetchEvents(runId);
      return events.some((event) => event.eventType === eventType && event.stepId === stepId);
    });

  await queue("run_1");
  expect(await running.status("run_1")).toBe("absent");
  running.start();
  await happened("run_1", "StepStarted", "go");
  await sendSignal({ store }, "run_1", "go", null);
  running.wake("run_1");
  await happened("run_1", "StepStarted", "work");
  expect(await running.status("run_1")).toBe("executing");
  await sendAction({ store }, "run_1", "CANCEL");
  running.cancel("run_1");
  await happened("run_1", "RunCancelled");
  await until(async () => (await running.status("run_1")) === "absent");

  await queue("run_2"); // the call of the engine was lost
  await running.reconcile();
  await happened("run_2", "StepStarted", "go");
}
