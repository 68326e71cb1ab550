// One client of the start chaos test: starts the same request as the others, and kills itself with -9 after sending it,
// after the response, or not at all. It logs to a file for the parent to check.
import { openSync, writeSync } from "node:fs";
import { PostgresStore } from "@runledger/store-postgres";
import { workflow } from "runledger";
import { Ledger } from "@runledger/runtime/ledger/ledger";
import { HistoryRecorder } from "@runledger/runtime/testing/history-recorder";
import { interceptStore } from "@runledger/runtime/testing/intercept-store";

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
  void ledger.start(orders, { requestId, dedupe: "workflow" }).then(async ({ id }) => {
    process.send?.(id);
    await ledger.close();
    process.disconnect();
  });
});
process.send?.("ready");
