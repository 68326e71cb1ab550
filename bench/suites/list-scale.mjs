import { manyRuns } from "@runledger/test-support/many-runs.mjs";
import { openStore } from "../lib/ledger.mjs";
import { alternate, median, quantile } from "../lib/rounds.mjs";

const MANY = 1_000_000;
const FEW = 1000;

/** Typical filters. The second page of each is read, too. */
const FILTERS = [
  {},
  { status: ["FAILED"] },
  { planId: "workflow-3" },
  { planId: "workflow-5", status: ["FAILED"] },
  { environmentId: "prod" },
  { labels: { team: "core" } },
  { errorText: "closed" },
];

/** @type {import("../lib/suite.mjs").Suite} */
export default {
  name: "list-scale",
  measure: "time for a page of the run list with 1,000,000 runs against 1,000",
  target: 2,
  reach: "at most",
  async run(bench) {
    const many = await side(await bench.database("list-many"), MANY);
    bench.say(`${MANY} runs are there`);
    const few = await side(await bench.database("list-few"), FEW);
    try {
      const { ratio, ours, other } = await alternate(bench, async () => ({
        ours: () => many.measure(bench.roundMs),
        other: () => few.measure(bench.roundMs),
      }));
      return { ratio, details: [`${MANY} runs: ${about(ours)}`, `${FEW} runs: ${about(other)}`] };
    } finally {
      await many.close();
      await few.close();
    }
  },
};

/** @param {readonly { value: number, p99: number }[]} rounds */
function about(rounds) {
  const of = (/** @type {"value" | "p99"} */ what) => median(rounds.map((round) => round[what])).toFixed(2);
  return `p50 ${of("value")} ms, p99 ${of("p99")} ms a page`;
}

/**
 * @param {string} url
 * @param {number} runs
 */
async function side(url, runs) {
  await manyRuns(url, { runs });
  const store = await openStore(url);
  const page = (/** @type {object} */ filter, /** @type {string | null} */ cursor) =>
    store.index.listRuns({ tenantId: "default", limit: 20, ...filter, ...(cursor === null ? {} : { cursor }) });
  return {
    /** @param {number} forMs */
    measure: async (forMs) => {
      /** @type {number[]} */
      const times = [];
      for (const began = performance.now(); performance.now() - began < forMs;) {
        for (const filter of FILTERS) {
          const first = performance.now();
          const { cursor } = await page(filter, null);
          const second = performance.now();
          await page(filter, cursor);
          times.push(second - first, performance.now() - second);
        }
      }
      return { value: quantile(times, 0.5), p99: quantile(times, 0.99) };
    },
    close: () => store.close(),
  };
}
