// One scheduler of the chaos test. It kills itself with -9 at a named point, the `at`th time that it gets there. What it
// starts goes to a file before it happens and after it was answered, for the parent to judge.
import { openSync, writeSync } from "node:fs";
import { PostgresStore } from "@runledger/store-postgres";
import { Scheduler } from "runledger";
import { HistoryRecorder } from "../../packages/runledger/dist/testing/history-recorder.js";
import { interceptStore } from "../../packages/runledger/dist/testing/intercept-store.js";

const [url = "", name = "", file = "", point = "", at = "0"] = process.argv.slice(2);
const history = openSync(file, "a");
const recorder = new HistoryRecorder({
  clock: () => Number(process.hrtime.bigint()),
  onOperation: (operation) => void writeSync(history, `${JSON.stringify(operation)}\n`),
});

let times = 0;
/** @param {string} here */
const reach = (here) => {
  if (here === point && ++times === Number(at)) process.kill(process.pid, "SIGKILL");
};

/** @type {import("../../packages/runledger/dist/testing/intercept-store.js").Around} */
const dying = async (call) => {
  const answer = call.proceed();
  if (call.name === "queue.startRun") setImmediate(() => reach("start sent"));
  const answered = /** @type {{ schedules?: readonly unknown[] }} */ (await answer);
  if (call.name === "schedules.claimDue" && (answered.schedules ?? []).length > 0) reach("claimed");
  if (call.name === "queue.startRun") reach("start answered");
  if (call.name === "schedules.saveSchedule") reach("saved");
  return answered;
};

const store = await PostgresStore.open({ url, migrate: false, poolSize: 2 });
new Scheduler(interceptStore(store, recorder.recording(name, dying)), { holdMs: 1_000, pollMs: 200 }).start();
