import { alternate, compact, median } from "../lib/rounds.mjs";
import { startReceiver, startSide } from "../lib/telemetry.mjs";

/**
 * @param {import("../lib/suite.mjs").Bench} bench
 * @param {{ ours: import("../lib/telemetry.mjs").Side, other: import("../lib/telemetry.mjs").Side }} sides
 */
async function compare(bench, { ours, other }) {
  const forMs = 2 * bench.roundMs;
  try {
    const results = await alternate(bench, async () => ({
      ours: () => ours.run(forMs),
      other: () => other.run(forMs),
    }));
    const steps = (/** @type {typeof results.ours} */ rounds) => compact(median(rounds.map(({ value }) => value)));
    return { ratio: results.ratio, details: [`${steps(results.ours)} to ${steps(results.other)} steps/s`] };
  } finally {
    await ours.stop();
    await other.stop();
  }
}

/** @type {import("../lib/suite.mjs").Suite} */
const off = {
  name: "telemetry-off",
  measure: "steps/s with the OpenTelemetry API and without an SDK, against the engine without the API",
  target: 0.98,
  reach: "at least",
  async run(bench) {
    const ours = await startSide(await bench.database("off"), "off");
    return compare(bench, { ours, other: await startSide(await bench.database("none"), "none") });
  },
};

/** @type {import("../lib/suite.mjs").Suite} */
const on = {
  name: "telemetry-on",
  measure: "steps/s while 10 % of the traces are exported over OTLP, against the engine without an SDK",
  target: 0.85,
  reach: "at least",
  async run(bench) {
    const receiver = await startReceiver();
    try {
      const ours = await startSide(await bench.database("on"), "on", receiver.variables);
      const { ratio, details } = await compare(bench, {
        ours,
        other: await startSide(await bench.database("off"), "off"),
      });
      const { requests, bytes } = receiver.received;
      const failed = requests === 0 ? { failed: "no trace was exported" } : {};
      return { ratio, details: [...details, `${requests} exports, ${compact(bytes)} bytes`], ...failed };
    } finally {
      receiver.close();
    }
  },
};

export default [off, on];
