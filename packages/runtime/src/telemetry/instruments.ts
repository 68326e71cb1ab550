/** The instruments of Runledger. They use the OpenTelemetry API only, and cost almost nothing without an SDK. */
import { metrics as registered, type Histogram, type Meter } from "@opentelemetry/api";
import type { Metrics } from "./metrics.js";

/** Bounds in seconds, from a fast round trip to a minute. */
const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

/** The name under which Runledger creates its instruments and spans. */
export const SCOPE = "runledger";

/** Returns the meter of these metrics. If absent: the meter of the SDK that the process has registered. */
export function meterOf(metrics?: Pick<Metrics, "provider">): Meter {
  return (metrics?.provider ?? registered.getMeterProvider()).getMeter(SCOPE);
}

export function secondsHistogram(meter: Meter, name: string, description: string): Histogram {
  return meter.createHistogram(name, { description, advice: { explicitBucketBoundaries: SECONDS } });
}
