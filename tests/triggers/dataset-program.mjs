// Projects runs and consumes dataset triggers, and dies at the given crash point of either.
//   node dataset-program.mjs <store url> [crash point] [times to pass it first]
import { connect } from "runledger";
import { Projector } from "@runledger/runtime/projector/projector";
import { realTimers } from "@runledger/runtime/time/timers";
import { Consumers } from "@runledger/runtime/triggers/consumers";
import { datasetSource } from "@runledger/runtime/triggers/dataset/dataset-source";
import { workflowFinder } from "@runledger/runtime/triggers/find-workflow";

const [url = "", crashPoint = "", passes = "0"] = process.argv.slice(2);
let left = Number(passes);
/** @param {string} point */
const at = (point) => {
  if (point === crashPoint && left-- === 0) process.kill(process.pid, "SIGKILL");
};

const ledger = await connect(url);
const { store } = ledger;
const { datasets } = store;
if (datasets === undefined) throw new Error("The store has no index of datasets.");
const projector = new Projector(store, { memberTtlMs: 900, at });
const consumers = new Consumers({
  store,
  timers: realTimers,
  find: workflowFinder(store, realTimers, []),
  sources: { dataset: datasetSource(datasets, realTimers) },
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
