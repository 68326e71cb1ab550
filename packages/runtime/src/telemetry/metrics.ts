import type { MeterProvider } from "@opentelemetry/api";
import type { MetricFamily } from "./metric-family.js";

/** The metrics of a process. Pass them to `connect`; a server reads them from its ledger. */
export interface Metrics {
  /** Creates instruments, also for your own metrics. */
  readonly provider: MeterProvider;
  /** Returns all metrics in the text format of Prometheus. */
  expose(): Promise<string>;
  /** Returns the current values. */
  read(): Promise<readonly MetricFamily[]>;
  /** Sends what is left to exporters and stops collecting. */
  close(): Promise<void>;
}

/** The content type of `Metrics.expose`. */
export const METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8";
