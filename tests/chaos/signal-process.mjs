// One sender of the signal chaos test, with a skewed clock. It sends what the parent requests, all at once, and reports
// the answers. It logs its operations to a file for the parent to check.
import { openSync, writeSync } from "node:fs";

const [url = "", name = "", file = "", shift = "0", denies = ""] = process.argv.slice(2);
const { now } = Date;
Date.now = () => now() + Number(shift);
globalThis.Date = new Proxy(Date, {
  construct: (date, given) => /** @type {Date} */ (Reflect.construct(date, given.length === 0 ? [Date.now()] : given)),
});

const { Ledger } = await import("@runledger/runtime/ledger/ledger");
const { PostgresStore } = await import("@runledger/store-postgres");
const { HistoryRecorder } = await import("@runledger/runtime/testing/history-recorder");
const { interceptStore } = await import("@runledger/runtime/testing/intercept-store");

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
/** Denies signals whose id contains `denies`, so that processes disagree about them. */
const authorization = {
  authorize: async (/** @type {{ payload?: unknown }} */ { payload }) =>
    denies !== "" && String(payload).includes(denies)
      ? /** @type {const} */ ({ allowed: false, reason: "denied here" })
      : /** @type {const} */ ({ allowed: true }),
};
const ledger = new Ledger(recorded, async () => {}, { authorization });

/** @param {{ runId: string, signalId: string }} sent */
async function send({ runId, signalId }) {
  const answer = await ledger.signal(runId, "go", signalId, { signalId }).then(
    () => "accepted",
    (/** @type {unknown} */ error) => /** @type {{ code: string }} */ (error).code,
  );
  return { runId, signalId, answer };
}

/** @param {{ runId: string, signalId: string }[]} all An empty list ends the process. */
async function handle(all) {
  if (all.length > 0) return process.send?.(await Promise.all(all.map(send)));
  await ledger.close();
  return process.disconnect();
}

process.on("message", (all) => void handle(/** @type {{ runId: string, signalId: string }[]} */ (all)));
process.send?.("ready");
