import type { Counter, Gauge, Histogram, Metrics } from "../metrics/metrics.js";

export interface ProjectorMetrics {
  readonly lag: Gauge;
  readonly lags: Histogram;
  readonly backlog: Gauge;
  readonly stale: Gauge;
  readonly partitions: Gauge;
  readonly events: Counter;
  readonly saves: Counter;
  readonly conflicts: Counter;
  readonly gaps: Counter;
  readonly resyncs: Counter;
  readonly alerts: Counter;
}

export function projectorMetrics(metrics: Metrics): ProjectorMetrics {
  const name = (end: string): string => `runledger_projector_${end}`;
  return {
    lag: metrics.gauge(name("lag_seconds"), "Age of the oldest event that was not projected when last looked."),
    lags: metrics.histogram(name("event_lag_seconds"), "From when an event was stored to when its run was projected."),
    backlog: metrics.gauge(name("backlog_runs"), "Runs that are known to have changed and are not projected yet."),
    stale: metrics.gauge(name("stale_runs"), "Runs whose projection stands in front of a gap, or cannot be saved."),
    partitions: metrics.gauge(name("partitions"), "Partitions of runs that this process projects."),
    events: metrics.counter(name("events_total"), "Events that were folded into projections."),
    saves: metrics.counter(name("saves_total"), "Projections that were saved."),
    conflicts: metrics.counter(name("conflicts_total"), "Projections that another process had saved meanwhile."),
    gaps: metrics.counter(name("gaps_total"), "Gaps that were met in logs."),
    resyncs: metrics.counter(name("resyncs_total"), "Times that what was remembered was read again, by reason."),
    alerts: metrics.counter("runledger_alerts_total", "Alerts, by code."),
  };
}
