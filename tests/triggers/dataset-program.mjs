// Projects runs and consumes dataset triggers, and dies at the given crash point of either. It logs to a file for the parent to
// check.
//   node dataset-program.mjs <store url> <name> <file> [crash point] [times to pass it first]
import { openSync, writeSync } from "node:fs";
import { PostgresStore } from "@runledger/store-postgres";
import { Ledger } from "@runledger/runtime/ledger/ledger";
import { Projector } from "@runledger/runtime/projector/projector";
import { HistoryRecorder } from "@runledger/runtime/testing/history-recorder";
import { interceptStore } from "@runledger/runtime/testing/intercept-store";
import { realTimers } from "@runledger/runtime/time/timers";
import { Consumers } from "@runledger/runtime/triggers/consumers";
import { datasetSource } from "@runledger/runtime/triggers/dataset/dataset-source";
import { workflowFinder } from "@runledger/runtime/triggers/find-workflow";

const [url = "", name = "", file = "", crashPoint = "", passes = "0"] = process.argv.slice(2);
let left = Number(passes);
/** @param {string} point */
const at = (point) => {
  if (point === crashPoint && left-- === 0) process.kill(process.pid, "SIGKILL");
};

const history = openSync(file, "a");
const recorder = new HistoryRecorder({
  clock: () => Number(process.hrtime.bigint()),
  onOperation: (operation) => void writeSync(history, `${JSON.stringify(operation)}\n`),
});
const opened = await PostgresStore.open({ url, migrate: false });
const store = interceptStore(
  opened,
  recorder.recording(name, (call) => call.proceed()),
);
const ledger = new Ledger(store, () => opened.close());
const projector = new Projector(store, { memberTtlMs: 900, at });
const consumers = new Consumers({
  store,
  timers: realTimers,
  find: workflowFinder(store, realTimers, []),
  sources: { dataset: datasetSource(opened.datasets, realTimers) },
  pollMs: 100,
  random: () => 0, // the shortest delays
  alert: (alert) => console.log(JSON.stringify(alert)),
  fault: (error) => console.error(error),
  at,
});
console.log("ready");

process.on("SIGTERM", () => void stop());

async function stop() {
  await consumers.stop();
  await projector.stop();
  await ledger.close();
  process.exit();
}
