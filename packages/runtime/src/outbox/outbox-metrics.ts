import type { Counter, Gauge, Meter } from "@opentelemetry/api";

export interface OutboxMetrics {
  readonly events: Counter;
  readonly failures: Counter;
  readonly deadLetters: Counter;
  readonly inFlight: Gauge;
}

const name = (end: string): string => `runledger_outbox_${end}`;

export function outboxMetrics(meter: Meter): OutboxMetrics {
  const counter = (end: string, description: string): Counter => meter.createCounter(name(end), { description });
  const description = "Runs whose events this process is publishing.";
  return {
    events: counter("events_total", "Events that buses have accepted."),
    failures: counter("failures_total", "Failed attempts to publish events."),
    deadLetters: counter("dead_letters_total", "Events that became dead letters."),
    inFlight: meter.createGauge(name("deliveries_in_flight"), { description }),
  };
}
