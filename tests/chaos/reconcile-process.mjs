// One of several processes that start queued runs on an engine; some share a name. Each kills itself with -9 after it
// claimed, after it started a run, or not at all. The engine is a few appends under the run's epoch. The process logs to a
// file for the parent to check.
import { openSync, writeSync } from "node:fs";
import { newEvent, RetryError } from "@runledger/contracts";
import { PostgresStore } from "@runledger/store-postgres";
import { RunQueueReconciler } from "runledger";
import { HistoryRecorder } from "@runledger/runtime/testing/history-recorder";
import { interceptStore } from "@runledger/runtime/testing/intercept-store";

const [url = "", name = "", file = "", engineId = "", point = "none"] = process.argv.slice(2);
const out = openSync(file, "a");
const say = (/** @type {unknown} */ line) => void writeSync(out, `${JSON.stringify(line)}\n`);
const recorder = new HistoryRecorder({
  clock: () => Number(process.hrtime.bigint()),
  onOperation: (operation) => say({ operation }),
});
const die = () => process.kill(process.pid, "SIGKILL");
let claimed = 0;
const store = interceptStore(
  await PostgresStore.open({ url, migrate: false, poolSize: 4 }),
  recorder.recording(name, async (call) => {
    const value = await call.proceed();
    if (call.name !== "queue.claimRuns") return value;
    claimed += /** @type {{ runs: unknown[] }} */ (value).runs.length;
    if (point === "claimed" && claimed > 3) die();
    return value;
  }),
);
const plan = { planId: "orders", planVersion: "1" };
const appended = { ...plan, logicalAttemptId: "1" };
let asked = 0;

/** @param {import("@runledger/contracts").HeldRun} run */
async function start({ runId, epoch }) {
  if (++asked % 7 === 0) throw new Error("the engine is busy");
  const [begun] = await store.appendEvents([newEvent({ runId, eventType: "RunStarted", ...appended })], {
    fence: epoch,
  });
  if (point === "started" && asked > 3) die();
  await store.appendEvents([newEvent({ runId, eventType: "RunCompleted", ...appended })], { fence: epoch, ends: true });
  return begun?.idempotent === true ? "SKIPPED" : "STARTED";
}

const reconciler = new RunQueueReconciler({
  store,
  engineId,
  plans: [plan],
  start,
  leaseMs: 500,
  limit: 4,
  pauseMs: 50,
});

/** Calls again if a busy machine was slower than a statement may be. */
async function dequeueAndStart() {
  for (;;) {
    try {
      return await reconciler.dequeueAndStart();
    } catch (error) {
      if (!(error instanceof RetryError)) throw error;
    }
  }
}

await dequeueAndStart();
say({ ready: true });
for (;;) {
  for (const result of await dequeueAndStart()) say({ result });
  await new Promise((resolve) => setTimeout(resolve, 10));
}
