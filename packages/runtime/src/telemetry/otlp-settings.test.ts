// @module-tag B-20
import { SpanKind, trace } from "@opentelemetry/api";
import { SamplingDecision } from "@opentelemetry/sdk-trace";
import { describe, expect, test } from "vitest";
import { readOtlpSettings } from "./otlp-settings.js";
import { runSampler } from "./run-sampler.js";
import { contextOfRun } from "./trace-context.js";

const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://collector:4318" };

describe("the variables of OpenTelemetry", () => {
  test.each([
    [{}, { traces: false, metrics: false }],
    [endpoint, { traces: true, metrics: true }],
    [
      { ...endpoint, OTEL_METRICS_EXPORTER: "none" },
      { traces: true, metrics: false },
    ],
    [{ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "http://collector:4318/v1/traces" }, { traces: true, metrics: false }],
    [{ OTEL_METRICS_EXPORTER: "otlp" }, { traces: false, metrics: true }],
    [
      { ...endpoint, OTEL_SDK_DISABLED: "true" },
      { traces: false, metrics: false },
    ],
  ])("%j select what is exported", (variables, expected) => {
    expect(readOtlpSettings(variables)).toMatchObject(expected);
  });

  test.each([
    [{ ...endpoint, OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" }, "OTEL_EXPORTER_OTLP_PROTOCOL"],
    [{ OTEL_TRACES_EXPORTER: "zipkin" }, "OTEL_TRACES_EXPORTER"],
    [{ OTEL_TRACES_SAMPLER: "sometimes" }, "OTEL_TRACES_SAMPLER"],
    [{ OTEL_BSP_SCHEDULE_DELAY: "soon" }, "OTEL_BSP_SCHEDULE_DELAY"],
  ])("%j is refused", (variables, name) => {
    expect(() => readOtlpSettings(variables)).toThrow(name);
  });
});

test("the sampler selects a share of the runs without a trace, and follows the caller of others", () => {
  const sampler = runSampler({ name: "parentbased_traceidratio", ratio: 0.1 });
  const isSampled = (runId: string, traceparent?: string): boolean => {
    const context = contextOfRun(runId, traceparent === undefined ? undefined : { traceparent });
    const { traceId } = trace.getSpanContext(context)!;
    return (
      sampler.shouldSample(context, traceId, "step", SpanKind.INTERNAL, {}, []).decision ===
      SamplingDecision.RECORD_AND_SAMPLED
    );
  };
  const runs = Array.from({ length: 2000 }, (_, index) => `run_${index}`);
  const share = runs.filter((runId) => isSampled(runId)).length / runs.length;
  expect(share).toBeGreaterThan(0.08);
  expect(share).toBeLessThan(0.12);
  const caller = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331";
  expect(runs.every((runId) => isSampled(runId, `${caller}-01`))).toBe(true);
  expect(runs.some((runId) => isSampled(runId, `${caller}-00`))).toBe(false);
});
