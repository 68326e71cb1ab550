// One process of the partitions' chaos test: a worker that also backfills all partitions when its parent sends a message. It
// kills itself with -9 when it sends or has sent its `at`th start. It logs to a file for the parent to check.
import { openSync, writeSync } from "node:fs";
import { Ledger } from "@runledger/runtime/ledger/ledger";
import { HistoryRecorder } from "@runledger/runtime/testing/history-recorder";
import { interceptStore } from "@runledger/runtime/testing/intercept-store";
import { PostgresStore } from "@runledger/store-postgres";
import { loadShops } from "./partition-workflow.mjs";

const [url = "", name = "", file = "", only = "both", point = "", at = "0"] = process.argv.slice(2);
const history = openSync(file, "a");
const recorder = new HistoryRecorder({
  clock: () => Number(process.hrtime.bigint()),
  onOperation: (operation) => void writeSync(history, `${JSON.stringify(operation)}\n`),
});
let starts = 0;
const die = () => process.kill(process.pid, "SIGKILL");

const store = await PostgresStore.open({ url, migrate: false, poolSize: 4 });
const recorded = interceptStore(
  store,
  recorder.recording(name, async (call) => {
    const isLast = call.name === "queue.startRun" && ++starts === Number(at);
    const answer = call.proceed();
    if (isLast && point === "sent") setImmediate(die);
    const value = await answer;
    if (isLast && point === "answered") die();
    return value;
  }),
);
const ledger = new Ledger(recorded, async () => {});
await ledger.worker({ workflows: [loadShops], leaseMs: 1_000, pollMs: 20, concurrency: 10 });
process.once("message", () => {
  const scope = /** @type {"missing" | "failed"} */ (only);
  void ledger.partitions
    .backfill(loadShops, { only: scope, limit: 1000, concurrency: 3 })
    .then((done) => process.send?.(done.items));
});
process.send?.("ready");
