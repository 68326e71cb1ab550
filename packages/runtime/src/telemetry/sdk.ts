/**
 * The parts of the OpenTelemetry SDK that processes of Runledger use. The build bundles them into one file of about 120 KB,
 * because their packages have 14 MB. Other modules load this one on demand.
 */
export { W3CTraceContextPropagator } from "@opentelemetry/core";
export { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
export { OTLPMetricExporter } from "@opentelemetry/exporter-metrics-otlp-http";
export { PrometheusSerializer } from "@opentelemetry/exporter-prometheus";
export { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
export { detectResources, envDetector, resourceFromAttributes } from "@opentelemetry/resources";
export type { Resource } from "@opentelemetry/resources";
export { MeterProvider, MetricReader, PeriodicExportingMetricReader } from "@opentelemetry/sdk-metrics";
export type { DataPoint, Histogram, MetricData } from "@opentelemetry/sdk-metrics";
export {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from "@opentelemetry/sdk-trace";
export type { ReadableSpan, Sampler, SpanProcessor } from "@opentelemetry/sdk-trace";
