import { actionsOf } from "../lib/temporal-actions.mjs";
import { onTemporal, openBare, openOnTemporal } from "../lib/temporal.mjs";

/** @type {import("../lib/suite.mjs").Suite} */
export default {
  name: "temporal-actions",
  measure: "Temporal actions of a 10-step workflow against a bare workflow with ten empty activities",
  target: 1.2,
  reach: "at most",
  run: (bench) =>
    onTemporal(async (address) => {
      const ours = await openOnTemporal(address, await bench.database("temporal"));
      const bare = await openBare(address);
      try {
        for (const { runNamed } of [ours, bare]) await runNamed("warm-up");
        await ours.runNamed("ours");
        await bare.runNamed("bare");
        const [mine, theirs] = [await actionsOf(address, "ours"), await actionsOf(address, "bare")];
        return { ratio: mine / theirs, details: [`ours ${mine} actions, bare ${theirs}`] };
      } finally {
        await ours.close();
        await bare.close();
      }
    }),
};
