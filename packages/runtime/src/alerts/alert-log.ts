import { hostname } from "node:os";
import type { Counter, Meter } from "@opentelemetry/api";
import { ALERTS, newId, type AlertCode, type AlertSeverity, type RecordedAlert } from "@runledger/contracts";

/** An alert as a part raises it. */
export interface RaisedAlert {
  readonly code: AlertCode;
  readonly severity?: AlertSeverity;
  readonly message: string;
  readonly runId?: string;
  readonly tenantId?: string;
}

/** Receives the alerts of this process. It must return immediately. */
export interface AlertSink {
  add(alert: RecordedAlert): void;
  close(): Promise<void>;
}

const MOST = 100;
const MAX_MESSAGE = 2000;

/** Names this process in alerts that other processes show. */
export const PROCESS = `${hostname()}-${process.pid}`;

/** Counts the alerts of a process, keeps the last ones and passes them to the store and to a webhook. */
export class AlertLog {
  readonly #alerts: RecordedAlert[] = [];
  readonly #total: Counter;
  readonly #sinks: readonly AlertSink[];

  constructor(meter: Meter, sinks: readonly AlertSink[] = []) {
    const description = "Alerts by code and severity.";
    this.#total = meter.createCounter("runledger_alerts_total", { description });
    this.#sinks = sinks;
  }

  /** Oldest first. */
  get all(): readonly RecordedAlert[] {
    return this.#alerts;
  }

  /** Returns a function that records an alert and passes it on. */
  recording<A extends RaisedAlert>(then: (alert: A) => void): (alert: A) => void {
    return (alert) => {
      this.#record(alert);
      then(alert);
    };
  }

  async close(): Promise<void> {
    await Promise.all(this.#sinks.map((sink) => sink.close()));
  }

  #record({ code, message, runId, tenantId }: RaisedAlert): void {
    const severity = ALERTS[code];
    const about = { ...(runId !== undefined && { runId }), ...(tenantId !== undefined && { tenantId }) };
    const made = { alertId: newId("alert"), at: new Date().toISOString(), process: PROCESS };
    const recorded = { ...made, code, severity, message: storable(message), ...about };
    this.#alerts.push(recorded);
    if (this.#alerts.length > MOST) this.#alerts.shift();
    this.#total.add(1, { code, severity });
    for (const sink of this.#sinks) sink.add(recorded);
  }
}

/** Stores refuse NUL and lone surrogates. */
function storable(message: string): string {
  return message.slice(0, MAX_MESSAGE).replaceAll(/\0|\p{Surrogate}/gu, "");
}
