import type { Counter, Gauge, Histogram, Meter } from "@opentelemetry/api";
import { secondsHistogram } from "../telemetry/instruments.js";

export interface ProjectorMetrics {
  readonly lags: Histogram;
  readonly backlog: Gauge;
  readonly stale: Gauge;
  readonly partitions: Gauge;
  readonly events: Counter;
  readonly saves: Counter;
  readonly conflicts: Counter;
  readonly gaps: Counter;
  readonly resyncs: Counter;
}

const name = (end: string): string => `runledger_projector_${end}`;

export function lagGauge(meter: Meter): Gauge {
  const description = "Age of the oldest event in the store that is not projected yet.";
  return meter.createGauge(name("lag_seconds"), { description });
}

export function projectorMetrics(meter: Meter): ProjectorMetrics {
  const counter = (end: string, description: string): Counter => meter.createCounter(name(end), { description });
  const gauge = (end: string, description: string): Gauge => meter.createGauge(name(end), { description });
  return {
    lags: secondsHistogram(meter, name("event_lag_seconds"), "Time from storing an event to projecting its run."),
    backlog: gauge("backlog_runs", "Runs that changed and are not projected yet."),
    stale: gauge("stale_runs", "Runs whose projection stopped before a gap or cannot be saved."),
    partitions: gauge("partitions", "Partitions of runs that this process projects."),
    events: counter("events_total", "Events folded into projections."),
    saves: counter("saves_total", "Projections saved."),
    conflicts: counter("conflicts_total", "Projections that another process saved first."),
    gaps: counter("gaps_total", "Gaps found in logs."),
    resyncs: counter("resyncs_total", "Times cached state was dropped and read again, by reason."),
  };
}
