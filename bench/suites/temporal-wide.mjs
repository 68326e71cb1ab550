import { onTemporal, openOnTemporal } from "../lib/temporal.mjs";

const [FEW, MANY] = [100, 10_000];

/** @type {import("../lib/suite.mjs").Suite} */
export default {
  name: "temporal-wide",
  measure: "on a Temporal server, time per step of a 10,000-item forEach against 100 items",
  target: 1.5,
  reach: "at most",
  run: (bench) =>
    onTemporal(async (address) => {
      const ours = await openOnTemporal(address, await bench.database("temporal"));
      const perStep = async (/** @type {number} */ items) => {
        const started = performance.now();
        await ours.runWide(items);
        const ms = (performance.now() - started) / items;
        bench.say(`${items} items: ${ms.toFixed(2)} ms a step`);
        return ms;
      };
      try {
        await perStep(FEW); // warms up
        const before = Math.min(await perStep(FEW), await perStep(FEW), await perStep(FEW));
        const many = await perStep(MANY);
        const few = Math.min(before, await perStep(FEW), await perStep(FEW), await perStep(FEW));
        const details = [`${many.toFixed(2)} ms a step with 10,000 items, ${few.toFixed(2)} with 100`];
        return { ratio: many / few, details };
      } finally {
        await ours.close();
      }
    }),
};
