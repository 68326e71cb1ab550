/**
 * What is counted and measured while things run. An instrument is made where it is used, by name; whoever reports (the
 * server, a test) takes a snapshot of them all. Nothing here knows how it is rendered.
 */
export type Labels = Readonly<Record<string, string>>;

export type MetricKind = "counter" | "gauge" | "histogram";

/** All values of one name, as they are now. */
export interface MetricFamily {
  readonly name: string;
  readonly help: string;
  readonly kind: MetricKind;
  readonly samples: readonly Sample[];
}

export interface Sample {
  readonly labels: Labels;
  /** Of a histogram: the sum of what was observed. */
  readonly value: number;
  /** Of a histogram: how many were at most `le`, ascending, the last one Infinity. */
  readonly buckets?: readonly { readonly le: number; readonly count: number }[];
}

export interface Counter {
  add(by?: number, labels?: Labels): void;
}

export interface Gauge {
  set(value: number, labels?: Labels): void;
}

export interface Histogram {
  observe(value: number, labels?: Labels): void;
}

interface Series {
  readonly labels: Labels;
  value: number;
  /** How many fell into each bucket, and above the last. */
  readonly counts: number[];
}

interface Instrument {
  readonly help: string;
  readonly kind: MetricKind;
  readonly bounds: readonly number[];
  readonly series: Map<string, Series>;
}

/** Seconds: from a fast round trip to what nobody waits for. */
const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

export class Metrics {
  readonly #instruments = new Map<string, Instrument>();

  /** What only grows. By convention its name ends in `_total`. */
  counter(name: string, help: string): Counter {
    const instrument = this.#instrument(name, help, "counter");
    return { add: (by = 1, labels = {}) => void (seriesOf(instrument, labels).value += by) };
  }

  /** What goes up and down. */
  gauge(name: string, help: string): Gauge {
    const instrument = this.#instrument(name, help, "gauge");
    return { set: (value, labels = {}) => void (seriesOf(instrument, labels).value = value) };
  }

  /** How values are spread, over buckets with these upper bounds (ascending; default: seconds). */
  histogram(name: string, help: string, bounds: readonly number[] = SECONDS): Histogram {
    const instrument = this.#instrument(name, help, "histogram", bounds);
    return { observe: (value, labels = {}) => observe(instrument, seriesOf(instrument, labels), value) };
  }

  snapshot(): readonly MetricFamily[] {
    return [...this.#instruments].map(([name, instrument]) => {
      const { help, kind, series } = instrument;
      return { name, help, kind, samples: [...series.values()].map((each) => sampleOf(instrument, each)) };
    });
  }

  /** The same name is the same instrument, wherever it is asked for. */
  #instrument(name: string, help: string, kind: MetricKind, bounds: readonly number[] = []): Instrument {
    const known = this.#instruments.get(name) ?? { help, kind, bounds, series: new Map<string, Series>() };
    if (known.kind !== kind) throw new Error(`the metric ${name} is a ${known.kind}, not a ${kind}`);
    this.#instruments.set(name, known);
    return known;
  }
}

function seriesOf({ series, bounds }: Instrument, labels: Labels): Series {
  const key = JSON.stringify(Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1)));
  const known = series.get(key) ?? { labels, value: 0, counts: [...bounds, Infinity].map(() => 0) };
  series.set(key, known);
  return known;
}

function observe({ bounds }: Instrument, series: Series, value: number): void {
  const at = bounds.findIndex((bound) => value <= bound);
  series.counts[at < 0 ? bounds.length : at]! += 1;
  series.value += value;
}

function sampleOf({ kind, bounds }: Instrument, { labels, value, counts }: Series): Sample {
  if (kind !== "histogram") return { labels, value };
  let count = 0;
  const buckets = [...bounds, Infinity].map((le, index) => ({ le, count: (count += counts[index]!) }));
  return { labels, value, buckets };
}
