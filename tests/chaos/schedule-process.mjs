// One scheduler of a chaos test. It kills itself with -9 at a named point, the `at`th time it gets there, or with another
// signal. It logs each start to a file, before the call and after its response, for the parent to check.
import { openSync, writeSync } from "node:fs";
import { PostgresStore } from "@runledger/store-postgres";
import { Scheduler } from "runledger";
import { HistoryRecorder } from "@runledger/runtime/testing/history-recorder";
import { interceptStore } from "@runledger/runtime/testing/intercept-store";

const [url = "", name = "", file = "", point = "", at = "0", signal = "SIGKILL"] = process.argv.slice(2);
const history = openSync(file, "a");
const recorder = new HistoryRecorder({
  clock: () => Number(process.hrtime.bigint()),
  onOperation: (operation) => void writeSync(history, `${JSON.stringify(operation)}\n`),
});

let times = 0;
/** @param {string} here */
const reach = (here) => {
  if (here === point && ++times === Number(at)) process.kill(process.pid, signal);
};

/** @type {import("@runledger/runtime/testing/intercept-store").Around} */
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
