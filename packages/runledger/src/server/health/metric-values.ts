/** Single values out of everything that is counted. */
import type { Metrics, Sample } from "../../metrics/metrics.js";

/** Null = nobody here has measured it. */
export function gaugeOf(metrics: Metrics, name: string): number | null {
  const values = samplesOf(metrics, name).map(({ value }) => value);
  return values.length === 0 ? null : Math.max(...values);
}

/** Null = nobody here counts it. */
export function totalOf(metrics: Metrics, name: string): number | null {
  const values = samplesOf(metrics, name).map(({ value }) => value);
  return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0);
}

/** The upper bound that this share of what was observed does not exceed, of all labels together; null = nothing was. */
export function quantileOf(metrics: Metrics, name: string, share: number): number | null {
  const merged = new Map<number, number>();
  for (const { buckets = [] } of samplesOf(metrics, name))
    for (const { le, count } of buckets) merged.set(le, (merged.get(le) ?? 0) + count);
  const total = merged.get(Infinity) ?? 0;
  if (total === 0) return null;
  const [bound] = [...merged].find(([, count]) => count >= share * total)!;
  return Number.isFinite(bound) ? bound : null;
}

function samplesOf(metrics: Metrics, name: string): readonly Sample[] {
  return metrics.snapshot().find((family) => family.name === name)?.samples ?? [];
}
