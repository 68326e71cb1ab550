import { latency } from "../lib/callers.mjs";
import { openDbos, openOurs, runMany } from "../lib/engine.mjs";
import { alternate, compact, median } from "../lib/rounds.mjs";

/**
 * @param {string} name
 * @param {number} callers
 * @param {number} target
 * @returns {import("../lib/suite.mjs").Suite}
 */
const againstDbos = (name, callers, target) => ({
  name,
  measure: `10-step no-op workflows, ${callers} in flight, steps/s against DBOS`,
  target,
  reach: "at least",
  async run(bench) {
    const ours = await openOurs(await bench.database("ours"));
    const dbos = await openDbos(await bench.database("dbos"));
    const load = { callers, forMs: 2 * bench.roundMs };
    try {
      const results = await alternate(bench, async () => ({
        ours: () => runMany(ours, load),
        other: () => runMany(dbos, load),
      }));
      const line = (/** @type {string} */ who, /** @type {typeof results.ours} */ rounds) =>
        `${who} ${compact(median(rounds.map(({ value }) => value)))} steps/s, a run ${latency(rounds)}`;
      return { ratio: results.ratio, details: [line("ours", results.ours), line("DBOS 5.3", results.other)] };
    } finally {
      await ours.close();
      await dbos.close();
    }
  },
});

export default [againstDbos("engine-concurrent", 64, 5), againstDbos("engine-serial", 1, 1.5)];
