/** Converts the data of the SDK's metric readers into plain values. */
import type { Labels, MetricFamily, MetricKind, Sample } from "./metric-family.js";
import type { DataPoint, Histogram, MetricData } from "./sdk.js";

export function familyOf(data: MetricData): MetricFamily {
  const { name, description: help } = data.descriptor;
  const samples: Sample[] = [];
  for (const point of data.dataPoints) samples.push(sampleOf(point));
  return { name, help, kind: kindOf(data), samples };
}

function kindOf(data: MetricData): MetricKind {
  if (data.dataPoints.some(({ value }) => typeof value !== "number")) return "histogram";
  return "isMonotonic" in data && data.isMonotonic ? "counter" : "gauge";
}

function sampleOf({ attributes, value }: DataPoint<number> | DataPoint<unknown>): Sample {
  const labels: Labels = Object.fromEntries(Object.entries(attributes).map(([name, text]) => [name, String(text)]));
  if (typeof value === "number") return { labels, value };
  const { buckets, sum = 0 } = value as Histogram;
  return { labels, value: sum, buckets: cumulative(buckets) };
}

function cumulative({ boundaries, counts }: Histogram["buckets"]): Required<Sample>["buckets"] {
  let count = 0;
  return [...boundaries, Infinity].map((le, place) => ({ le, count: (count += counts[place] ?? 0) }));
}
