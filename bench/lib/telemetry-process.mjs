/**
 * One side of the telemetry benches: an engine with 64 callers, in its own process.
 *   node telemetry-process.mjs URL none|off|on
 * `none`: all calls of the OpenTelemetry API are removed. `off`: no SDK is registered. `on`: 10 % of the traces are exported.
 */
import { register } from "node:module";
import { omitTelemetry } from "./omit-telemetry.mjs";

const [url = "", mode = "off"] = process.argv.slice(2);
if (mode === "none") register(`data:text/javascript,${encodeURIComponent(omitTelemetry)}`);

const { openOurs, runMany } = await import("./engine.mjs");
const { startTelemetry } = await import("@runledger/runtime/telemetry/start-telemetry");
const telemetry = mode === "on" ? await startTelemetry(process.env, { servesMetrics: false }) : null;
const engine = await openOurs(url);

process.on("message", (/** @type {number | "stop"} */ message) => {
  if (message === "stop") return void stop();
  void runMany(engine, { callers: 64, forMs: message }).then(({ value, events, latencies }) =>
    process.send?.({ value, events, latencies: [...latencies] }),
  );
});

async function stop() {
  await engine.close();
  await telemetry?.[Symbol.asyncDispose]();
  process.disconnect();
}

process.send?.("ready");
