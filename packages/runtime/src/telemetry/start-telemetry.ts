/** Telemetry of a process of the command line: metrics for Prometheus, and the export of traces and metrics over OTLP. */
import type { Metrics } from "./metrics.js";
import { readOtlpSettings } from "./otlp-settings.js";

export interface Telemetry extends AsyncDisposable {
  /** Absent if this process neither serves nor exports metrics. */
  readonly metrics?: Metrics;
}

/**
 * Reads the standard variables `OTEL_*`. An SDK that the process has registered before keeps its traces. `servesMetrics` is
 * `true` if Prometheus can read the metrics of this process.
 */
export async function startTelemetry(
  variables: Readonly<Record<string, string | undefined>>,
  { servesMetrics }: { readonly servesMetrics: boolean },
): Promise<Telemetry> {
  const settings = readOtlpSettings(variables);
  if (!servesMetrics && !settings.traces && !settings.metrics) return { [Symbol.asyncDispose]: async () => {} };
  const { startSdk } = await import("./start-sdk.js"); // loads the SDK
  return startSdk(settings);
}
