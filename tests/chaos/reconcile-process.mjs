// One of those who give queued runs to an engine, of whom several share a name. Each dies with -9 at a point of its own:
// once it has claimed, once it has started something, or not at all. The engine is a few appends under the run's epoch.
// What it does goes to a file, for the parent to judge.
import { openSync, writeSync } from "node:fs";
import { newEvent } from "@runledger/contracts";
import { PostgresStore } from "@runledger/store-postgres";
import { RunQueueReconciler } from "../../packages/runledger/dist/index.js";
import { HistoryRecorder } from "../../packages/runledger/dist/testing/history-recorder.js";
import { interceptStore } from "../../packages/runledger/dist/testing/intercept-store.js";

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
await reconciler.dequeueAndStart();
say({ ready: true });
for (;;) {
  for (const result of await reconciler.dequeueAndStart()) say({ result });
  await new Promise((resolve) => setTimeout(resolve, 10));
}
