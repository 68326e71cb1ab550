/** Current values of one metric, as a process reads its own metrics. */
export interface MetricFamily {
  readonly name: string;
  readonly help: string;
  readonly kind: MetricKind;
  readonly samples: readonly Sample[];
}

export type MetricKind = "counter" | "gauge" | "histogram";

export type Labels = Readonly<Record<string, string>>;

export interface Sample {
  readonly labels: Labels;
  /** Sum of the recorded values, for a histogram. */
  readonly value: number;
  /** Cumulative counts of a histogram: values up to `le`, ascending. The last `le` is Infinity. */
  readonly buckets?: readonly { readonly le: number; readonly count: number }[];
}
