/** The standard variables of OpenTelemetry that the processes of Runledger read. Exporters read those of OTLP themselves. */
import { InputError } from "@runledger/contracts";

export interface OtlpSettings {
  readonly traces: boolean;
  readonly metrics: boolean;
  readonly sampler: { readonly name: string; readonly ratio: number };
  readonly spans: {
    readonly scheduledDelayMillis: number;
    readonly maxQueueSize: number;
    readonly maxExportBatchSize: number;
  };
  readonly metricsEveryMs: number;
}

type Variables = Readonly<Record<string, string | undefined>>;

const SAMPLERS = ["always_on", "always_off", "traceidratio"].flatMap((name) => [name, `parentbased_${name}`]);

export function readOtlpSettings(variables: Variables): OtlpSettings {
  const isOn = variables["OTEL_SDK_DISABLED"]?.toLowerCase() !== "true";
  return {
    traces: isOn && exportsSignal(variables, "TRACES"),
    metrics: isOn && exportsSignal(variables, "METRICS"),
    sampler: samplerOf(variables),
    spans: {
      scheduledDelayMillis: numberOf(variables, "OTEL_BSP_SCHEDULE_DELAY", 5000),
      maxQueueSize: numberOf(variables, "OTEL_BSP_MAX_QUEUE_SIZE", 2048),
      maxExportBatchSize: numberOf(variables, "OTEL_BSP_MAX_EXPORT_BATCH_SIZE", 512),
    },
    metricsEveryMs: numberOf(variables, "OTEL_METRIC_EXPORT_INTERVAL", 60_000),
  };
}

/** Nothing is exported unless a variable names a receiver or the exporter. */
function exportsSignal(variables: Variables, signal: "TRACES" | "METRICS"): boolean {
  const name = `OTEL_${signal}_EXPORTER`;
  const exporter = variables[name] ?? "";
  if (!["", "otlp", "none"].includes(exporter)) throw invalid(name, exporter, "otlp or none");
  const endpoints = [variables["OTEL_EXPORTER_OTLP_ENDPOINT"], variables[`OTEL_EXPORTER_OTLP_${signal}_ENDPOINT`]];
  const isExported = exporter === "otlp" || (exporter === "" && endpoints.some((url) => (url ?? "") !== ""));
  const protocol = variables[`OTEL_EXPORTER_OTLP_${signal}_PROTOCOL`] ?? variables["OTEL_EXPORTER_OTLP_PROTOCOL"] ?? "";
  if (isExported && protocol === "grpc")
    throw invalid("OTEL_EXPORTER_OTLP_PROTOCOL", protocol, "http/json, and the receiver's HTTP port, such as 4318");
  return isExported;
}

function samplerOf(variables: Variables): OtlpSettings["sampler"] {
  const name = variables["OTEL_TRACES_SAMPLER"] ?? "parentbased_always_on";
  const ratio = numberOf(variables, "OTEL_TRACES_SAMPLER_ARG", 1);
  if (!SAMPLERS.includes(name)) throw invalid("OTEL_TRACES_SAMPLER", name, `one of ${SAMPLERS.join(", ")}`);
  return { name, ratio };
}

function numberOf(variables: Variables, name: string, otherwise: number): number {
  const text = variables[name] ?? "";
  const number = text === "" ? otherwise : Number(text);
  if (Number.isFinite(number) && number >= 0) return number;
  throw invalid(name, text, "a number that is not negative");
}

function invalid(name: string, value: string, wanted: string): InputError {
  return new InputError("CONFIG_INVALID", name, `${value} is not supported. Use ${wanted}.`);
}
