/** Metrics as Prometheus reads them (text format 0.0.4). */
import type { Labels, MetricFamily, Sample } from "../../metrics/metrics.js";

export const METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8";

/** A family that has no value yet is left out. */
export function renderMetrics(families: readonly MetricFamily[]): string {
  return families
    .filter(({ samples }) => samples.length > 0)
    .map(family)
    .join("");
}

function family({ name, help, kind, samples }: MetricFamily): string {
  const lines = samples.flatMap((sample) => (kind === "histogram" ? histogram(name, sample) : single(name, sample)));
  return `# HELP ${name} ${help.replaceAll("\\", "\\\\").replaceAll("\n", "\\n")}\n# TYPE ${name} ${kind}\n${lines.join("\n")}\n`;
}

function single(name: string, { labels, value }: Sample): string[] {
  return [`${name}${labelText(labels)} ${numberText(value)}`];
}

function histogram(name: string, { labels, value: sum, buckets = [] }: Sample): string[] {
  const bars = buckets.map(({ le, count }) => `${name}_bucket${labelText({ ...labels, le: numberText(le) })} ${count}`);
  const count = buckets.at(-1)?.count ?? 0;
  return [...bars, `${name}_sum${labelText(labels)} ${numberText(sum)}`, `${name}_count${labelText(labels)} ${count}`];
}

function labelText(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, text]) => `${name}="${escaped(text)}"`);
  return pairs.length === 0 ? "" : `{${pairs.join(",")}}`;
}

function escaped(text: string): string {
  return text.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
}

function numberText(value: number): string {
  if (value === Infinity) return "+Inf";
  return value === -Infinity ? "-Inf" : String(value);
}
