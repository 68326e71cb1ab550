import type { Metrics } from "./metrics.js";

/** Starts to collect metrics. A process that does not call it, and has no OpenTelemetry SDK, collects none. */
export async function openMetrics(): Promise<Metrics> {
  const { collectMetrics } = await import("./collect-metrics.js"); // loads the SDK
  return collectMetrics();
}
