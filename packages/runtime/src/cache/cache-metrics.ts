import type { Counter, Meter } from "@opentelemetry/api";

export interface CacheMetrics {
  /** By `cache` and `result`. The hit rate is the share of `hit`. */
  readonly reads: Counter;
}

export function cacheMetrics(meter: Meter): CacheMetrics {
  const description =
    "Reads of runs through the cache, by result: hit, miss, outdated, behind (the projection is behind the log) or unavailable.";
  return { reads: meter.createCounter("runledger_cache_reads_total", { description }) };
}

/** Reports the bytes of a cache in this process. Returns a function that stops it. */
export function observeBytes(meter: Meter, bytes: () => number): () => void {
  const description = "Bytes of the entries that this process caches.";
  const gauge = meter.createObservableGauge("runledger_cache_bytes", { description });
  const observe = (result: { observe(value: number): void }): void => result.observe(bytes());
  gauge.addCallback(observe);
  return () => gauge.removeCallback(observe);
}
