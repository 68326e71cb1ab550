import { setTimeout as sleep } from "node:timers/promises";
import { connect } from "runledger";
import { shareOf, startWorker } from "../lib/child.mjs";
import { quantile } from "../lib/rounds.mjs";
import { withClient } from "../lib/server.mjs";
import { waiting } from "../lib/workflows.mjs";

const RUNS = 10_000;
const SIGNALS = 200;
const MOST_MS = 200;

/** @type {import("../lib/suite.mjs").Suite} */
export default {
  name: "idle",
  measure: "10,000 waiting runs: the worker's share of a processor; p99 from signal to step start at most 200 ms",
  target: 0.02,
  reach: "at most",
  async run(bench) {
    const url = await bench.database("idle");
    const ledger = await connect(url);
    const worker = await startWorker(url);
    try {
      const runIds = await startAll(ledger);
      await untilAllWait(url);
      bench.say(`${RUNS} runs wait`);
      const share = await shareOf(worker, 10_000);
      const latencies = await wakeSome(ledger, runIds);
      const [p50, p99] = [quantile(latencies, 0.5), quantile(latencies, 0.99)];
      const details = [
        `${(100 * share).toFixed(2)} % of a processor`,
        `from signal to step start: p50 ${p50.toFixed(0)} ms, p99 ${p99.toFixed(0)} ms`,
      ];
      const tooSlow = p99 > MOST_MS ? { failed: `p99 from signal to step start is ${p99.toFixed(0)} ms` } : {};
      return { ratio: share, details, ...tooSlow };
    } finally {
      await worker.stop();
      await ledger.close();
    }
  },
};

/** @param {import("runledger").Ledger} ledger */
async function startAll(ledger) {
  /** @type {string[]} */
  const runIds = [];
  const starter = async () => {
    while (runIds.length < RUNS) runIds.push((await ledger.start(waiting)).id);
  };
  await Promise.all(Array.from({ length: 32 }, starter));
  return runIds;
}

/** @param {string} url */
async function untilAllWait(url) {
  const open =
    "SELECT count(*)::int AS open FROM runledger.run_queue WHERE available_at < 'infinity' OR owner IS NOT NULL";
  await withClient(url, async (client) => {
    const left = async () => /** @type {{ open: number }[]} */ ((await client.query(open)).rows)[0]?.open;
    while ((await left()) !== 0) await sleep(200);
  });
}

/**
 * By the store's own clock, from the log.
 * @param {import("runledger").Ledger} ledger
 * @param {readonly string[]} runIds
 */
async function wakeSome(ledger, runIds) {
  const chosen = Array.from({ length: SIGNALS }, (_, index) => runIds[(index * 37) % RUNS] ?? "");
  for (const runId of chosen) {
    await ledger.signal(runId, "go", {});
    await sleep(15);
  }
  await sleep(2000);
  return Promise.all(
    chosen.map(async (runId) => {
      const events = await ledger.store.fetchEvents(runId);
      const at = (/** @type {(event: (typeof events)[number]) => boolean} */ is) =>
        Date.parse(events.find(is)?.persistedAt ?? "");
      const signalled = at(({ eventType }) => eventType === "SignalAccepted");
      return at(({ eventType, stepId }) => eventType === "StepStarted" && stepId === "woken") - signalled;
    }),
  );
}
