/** Registers the OpenTelemetry SDK for a process. */
import { hostname } from "node:os";
import { context, metrics as metricsApi, propagation, trace } from "@opentelemetry/api";
import { packageVersion } from "../config/package-version.js";
import { collectMetrics } from "./collect-metrics.js";
import { SCOPE } from "./instruments.js";
import type { OtlpSettings } from "./otlp-settings.js";
import { redactedSpans } from "./redacted-spans.js";
import { runSampler } from "./run-sampler.js";
import {
  AsyncLocalStorageContextManager,
  BatchSpanProcessor,
  detectResources,
  envDetector,
  OTLPMetricExporter,
  OTLPTraceExporter,
  PeriodicExportingMetricReader,
  resourceFromAttributes,
  TracerProvider,
  W3CTraceContextPropagator,
  type Resource,
} from "./sdk.js";
import type { Telemetry } from "./start-telemetry.js";

export function startSdk(settings: OtlpSettings): Telemetry {
  const resource = resourceOf();
  const metrics = collectMetrics({ resource, exporters: settings.metrics ? [metricExporter(settings)] : [] });
  const ownsMetrics = metricsApi.setGlobalMeterProvider(metrics.provider);
  const stopTracing = settings.traces ? startTracing(settings, resource) : async () => {};
  const close = async (): Promise<void> => {
    await Promise.allSettled([stopTracing(), metrics.close()]); // a receiver that is down does not stop the process
    if (ownsMetrics) metricsApi.disable();
  };
  return { metrics, [Symbol.asyncDispose]: close };
}

/** Returns a function that sends what is left and stops. */
function startTracing({ spans, sampler }: OtlpSettings, resource: Resource): () => Promise<void> {
  const batches = new BatchSpanProcessor({ exporter: new OTLPTraceExporter(), ...spans });
  const spanProcessors = [redactedSpans(batches)];
  const provider = new TracerProvider({ resource, sampler: runSampler(sampler), spanProcessors });
  if (!trace.setGlobalTracerProvider(provider)) return async () => {}; // the process has its own SDK
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  return async () => {
    await provider.shutdown();
    for (const api of [trace, context, propagation]) api.disable();
  };
}

function metricExporter({ metricsEveryMs: exportIntervalMillis }: OtlpSettings): PeriodicExportingMetricReader {
  const exportTimeoutMillis = Math.min(exportIntervalMillis, 30_000);
  return new PeriodicExportingMetricReader({
    exporter: new OTLPMetricExporter(),
    exportIntervalMillis,
    exportTimeoutMillis,
  });
}

/** `OTEL_SERVICE_NAME` and `OTEL_RESOURCE_ATTRIBUTES` take precedence. */
function resourceOf(): Resource {
  const own = resourceFromAttributes({
    "service.name": SCOPE,
    "service.version": packageVersion(),
    "service.instance.id": `${hostname()}-${process.pid}`,
  });
  return own.merge(detectResources({ detectors: [envDetector] }));
}
