import { latency } from "../lib/callers.mjs";
import { runMany } from "../lib/engine.mjs";
import { alternate, compact, median } from "../lib/rounds.mjs";
import { onTemporal, openBare, openOnTemporal } from "../lib/temporal.mjs";

const CALLERS = 20;

/** @type {import("../lib/suite.mjs").Suite} */
export default {
  name: "temporal-steps",
  measure: "10-step no-op workflows, 20 in flight, steps/s against a bare Temporal workflow with ten empty activities",
  target: 0.8,
  reach: "at least",
  run: (bench) =>
    onTemporal(async (address) => {
      const ours = await openOnTemporal(address, await bench.database("temporal"));
      const bare = await openBare(address);
      const load = { callers: CALLERS, forMs: 3 * bench.roundMs };
      try {
        const results = await alternate(bench, async () => ({
          ours: () => runMany(ours, load),
          other: () => runMany(bare, load),
        }));
        const line = (/** @type {string} */ who, /** @type {typeof results.ours} */ rounds) =>
          `${who} ${compact(median(rounds.map(({ value }) => value)))} steps/s, a run ${latency(rounds)}`;
        return { ratio: results.ratio, details: [line("ours", results.ours), line("bare", results.other)] };
      } finally {
        await ours.close();
        await bare.close();
      }
    }),
};
