import { connect } from "runledger";
import { startWorker } from "../lib/child.mjs";
import { wide } from "../lib/workflows.mjs";

const [FEW, MANY] = [1000, 100_000];
const MOST_MB = 512;

/** @type {import("../lib/suite.mjs").Suite} */
export default {
  name: "wide-run",
  measure: "time per step of a 100,000-item forEach against 1,000 items; the worker stays below 512 MB",
  target: 1.5,
  reach: "at most",
  async run(bench) {
    const url = await bench.database("wide");
    const ledger = await connect(url);
    const worker = await startWorker(url);
    const perStep = async (/** @type {number} */ items) => {
      const started = performance.now();
      const run = await ledger.start(wide, { input: { items } });
      await run.result();
      const ms = (performance.now() - started) / items;
      bench.say(`${items} items: ${ms.toFixed(3)} ms a step`);
      return ms;
    };
    try {
      await perStep(FEW); // warms up
      const before = await perStep(10 * FEW);
      const many = await perStep(MANY);
      const few = Math.min(await perStep(FEW), await perStep(FEW), await perStep(FEW));
      const { maxRssMb } = await worker.usage();
      const details = [
        `${many.toFixed(3)} ms a step with 100,000 items, ${before.toFixed(3)} with 10,000, ${few.toFixed(3)} with 1,000`,
        `the worker's memory was at most ${maxRssMb.toFixed(0)} MB`,
      ];
      const tooBig = maxRssMb > MOST_MB ? { failed: `the worker needed ${maxRssMb.toFixed(0)} MB` } : {};
      return { ratio: many / few, details, ...tooBig };
    } finally {
      await worker.stop();
      await ledger.close();
    }
  },
};
