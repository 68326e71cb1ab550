// One worker of the limits chaos test, with a skewed clock. It logs to a file for the parent to check, and is killed
// with -9.
import { openSync, writeSync } from "node:fs";

const [url = "", name = "", file = "", shift = "0"] = process.argv.slice(2);
const { now } = Date;
const origin = performance.timeOrigin;
Date.now = () => now() + Number(shift);
globalThis.Date = new Proxy(Date, {
  construct: (date, given) => /** @type {Date} */ (Reflect.construct(date, given.length === 0 ? [Date.now()] : given)),
});
Object.defineProperty(performance, "timeOrigin", { get: () => origin + Number(shift) });

const { Ledger } = await import("@runledger/runtime/ledger/ledger");
const { PostgresStore } = await import("@runledger/store-postgres");
const { HistoryRecorder } = await import("@runledger/runtime/testing/history-recorder");
const { interceptStore } = await import("@runledger/runtime/testing/intercept-store");
const { busyWorkflows } = await import("./limits-workflows.mjs");

const history = openSync(file, "a");
const recorder = new HistoryRecorder({
  clock: () => Number(process.hrtime.bigint()),
  onOperation: (operation) => void writeSync(history, `${JSON.stringify(operation)}\n`),
});
const store = await PostgresStore.open({ url, migrate: false, poolSize: 4 });
const recorded = interceptStore(
  store,
  recorder.recording(name, (call) => call.proceed()),
);
const ledger = new Ledger(recorded, async () => {});
await ledger.worker({ workflows: busyWorkflows, leaseMs: 1_000, pollMs: 20, concurrency: 10 });
