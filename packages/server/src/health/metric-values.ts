/** Reads single values from the metrics of this process. */
import type { MetricFamily, Sample } from "@runledger/runtime/telemetry/metric-family";

/** `null` if this process does not measure it. */
export function gaugeOf(families: readonly MetricFamily[], name: string): number | null {
  const values = samplesOf(families, name).map(({ value }) => value);
  return values.length === 0 ? null : Math.max(...values);
}

/** `null` if this process does not count it. */
export function totalOf(families: readonly MetricFamily[], name: string): number | null {
  const values = samplesOf(families, name).map(({ value }) => value);
  return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0);
}

/** Upper bound of the bucket that contains the quantile, over all labels. `null` without observations. */
export function quantileOf(families: readonly MetricFamily[], name: string, share: number): number | null {
  const merged = new Map<number, number>();
  for (const { buckets = [] } of samplesOf(families, name))
    for (const { le, count } of buckets) merged.set(le, (merged.get(le) ?? 0) + count);
  const total = merged.get(Infinity) ?? 0;
  if (total === 0) return null;
  const [bound] = [...merged].find(([, count]) => count >= share * total)!;
  return Number.isFinite(bound) ? bound : null;
}

function samplesOf(families: readonly MetricFamily[], name: string): readonly Sample[] {
  return families.find((family) => family.name === name)?.samples ?? [];
}
