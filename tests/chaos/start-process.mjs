// One client of the start's chaos test: starts the same request as all the others, and kills itself with -9 once that is
// sent, once it is answered, or not at all. What it does goes to a file, for the parent to judge.
import { openSync, writeSync } from "node:fs";
import { PostgresStore } from "@runledger/store-postgres";
import { workflow } from "../../packages/runledger/dist/index.js";
import { Ledger } from "../../packages/runledger/dist/ledger/ledger.js";
import { HistoryRecorder } from "../../packages/runledger/dist/testing/history-recorder.js";
import { interceptStore } from "../../packages/runledger/dist/testing/intercept-store.js";

const [url = "", name = "", file = "", point = "", version = "1", requestId = ""] = process.argv.slice(2);
const history = openSync(file, "a");
const recorder = new HistoryRecorder({
  clock: () => Number(process.hrtime.bigint()),
  onOperation: (operation) => void writeSync(history, `${JSON.stringify(operation)}\n`),
});
const die = () => process.kill(process.pid, "SIGKILL");

const store = await PostgresStore.open({ url, migrate: false, poolSize: 2 });
const dying = interceptStore(
  store,
  recorder.recording(name, async (call) => {
    const answer = call.proceed();
    if (call.name === "queue.startRun" && point === "sent") setImmediate(die);
    const value = await answer;
    if (call.name === "queue.startRun" && point === "answered") die();
    return value;
  }),
);
const orders = workflow("orders", { version }, (w) => w.step("load", () => version));
const ledger = new Ledger(dying, async () => {});
process.once("message", () => {
  void ledger.start(orders, undefined, { requestId, dedupe: "workflow" }).then(async ({ id }) => {
    process.send?.(id);
    await ledger.close();
    process.disconnect();
  });
});
process.send?.("ready");
