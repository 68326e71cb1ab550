// A worker with a latency budget that is killed while it waits for PostgreSQL. It logs its store calls for the parent, and
// waits until the parent has stalled the server before it appends a start alone.
import { openSync, writeSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PostgresStore } from "@runledger/store-postgres";
import { Ledger } from "@runledger/runtime/ledger/ledger";
import { HistoryRecorder } from "@runledger/runtime/testing/history-recorder";
import { interceptStore } from "@runledger/runtime/testing/intercept-store";
import { spooling } from "./spooling-workflow.mjs";

const [url = "", folder = "", leaseMs = ""] = process.argv.slice(2);
const out = openSync(join(folder, "operations.jsonl"), "a");
const recorder = new HistoryRecorder({
  clock: () => Number(process.hrtime.bigint()),
  onOperation: (operation) => void writeSync(out, `${JSON.stringify(operation)}\n`),
});

/** @param {readonly unknown[]} args */
function startsOnly([events]) {
  return /** @type {{ eventType: string }[]} */ (events).every(({ eventType }) => eventType === "StepStarted");
}

let waiting = 0;
const store = interceptStore(
  await PostgresStore.open({ url, migrate: false, poolSize: 4 }),
  recorder.recording("killed", async (call) => {
    if (call.name === "appendEvents" && startsOnly(call.args)) {
      writeFileSync(join(folder, `waiting-${++waiting}`), "");
      while (!existsSync(join(folder, "stalled"))) await sleep(10);
    }
    return call.proceed();
  }),
);
const ledger = new Ledger(store, async () => {});
await ledger.worker({
  workflows: [spooling(folder, true)],
  leaseMs: Number(leaseMs),
  stateStore: {
    writeLatencyBudgetMs: 200,
    failOpenForEventClass: ["StepStarted"],
    spool: { folder: join(folder, "spool") },
  },
});
