import type { Meter } from "@opentelemetry/api";

/** Measures what every process has, in the names of Prometheus' own clients. */
export function addProcessMetrics(meter: Meter): void {
  const gauge = (name: string, description: string, read: () => number): void =>
    meter.createObservableGauge(name, { description }).addCallback((result) => result.observe(read()));
  gauge("process_resident_memory_bytes", "Resident memory size in bytes.", () => process.memoryUsage.rss());
  gauge("process_start_time_seconds", "Start time of the process since 1970.", () => performance.timeOrigin / 1000);
}
