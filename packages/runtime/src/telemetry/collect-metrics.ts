/** Collects the metrics of a process with the OpenTelemetry SDK. */
import { meterOf } from "./instruments.js";
import type { Metrics } from "./metrics.js";
import { addProcessMetrics } from "./process-metrics.js";
import { familyOf } from "./read-families.js";
import { MeterProvider, MetricReader, PrometheusSerializer, type Resource } from "./sdk.js";

interface CollectOptions {
  readonly resource?: Resource;
  /** Readers that send the metrics elsewhere. */
  readonly exporters?: readonly MetricReader[];
}

export function collectMetrics({ resource, exporters = [] }: CollectOptions = {}): Metrics {
  const reader = new PullReader();
  const provider = new MeterProvider({ readers: [reader, ...exporters], ...(resource && { resource }) });
  const serializer = new PrometheusSerializer("", false, undefined, true, true); // without target_info and scopes
  addProcessMetrics(meterOf({ provider }));
  return {
    provider,
    expose: async () => serializer.serialize((await reader.collect()).resourceMetrics),
    read: async () => {
      const { scopeMetrics } = (await reader.collect()).resourceMetrics;
      return scopeMetrics.flatMap(({ metrics }) => metrics.map(familyOf));
    },
    close: () => provider.shutdown(),
  };
}

/** Collects on request. */
class PullReader extends MetricReader {
  protected override async onForceFlush(): Promise<void> {}
  protected override async onShutdown(): Promise<void> {}
}
