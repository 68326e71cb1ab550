/** Records the alerts of this process in the store, so that every server shows them. */
import { MAX_ALERTS_PER_CALL, type AlertStore, type RecordedAlert } from "@runledger/contracts";
import { isUnavailable } from "../time/retry.js";
import type { Timers } from "../time/timers.js";
import type { AlertSink } from "./alert-log.js";
import { AlertQueue } from "./alert-queue.js";
import { Repeats } from "./repeats.js";

const WINDOW_MS = 60_000;
/** About an hour: an outage of the store is itself a reason for alerts. */
const MAX_ATTEMPTS = 60;

export interface AlertRecorderParams {
  readonly store: AlertStore;
  readonly timers: Timers;
  readonly fault: (error: unknown) => void;
}

export function alertRecorder({ store, timers, fault }: AlertRecorderParams): AlertSink {
  const repeats = new Repeats(WINDOW_MS, () => timers.now());
  const queue = new AlertQueue<RecordedAlert>({
    timers,
    batchSize: MAX_ALERTS_PER_CALL,
    maxAttempts: MAX_ATTEMPTS,
    send: (alerts) => store.recordAlerts(alerts),
    onFailure: (error) => {
      if (!isUnavailable(error)) fault(error); // other parts report an unavailable store
    },
    onDropped: () => {}, // the log and the metrics of this process have them
  });
  return {
    add: (alert) => {
      if (repeats.pass(alert) !== null) queue.add(alert);
    },
    close: () => queue.close(),
  };
}
