/** The alerts of a ledger, and where they go besides its log. */
import type { Meter } from "@opentelemetry/api";
import type { StateStore } from "@runledger/contracts";
import { environment } from "../config/environment.js";
import { EnvSecrets } from "../secrets/env-secrets.js";
import { logFault } from "../telemetry/log-handlers.js";
import type { Logger } from "../telemetry/logger.js";
import type { Timers } from "../time/timers.js";
import { AlertLog, type AlertSink } from "./alert-log.js";
import { alertRecorder } from "./alert-recorder.js";
import { alertWebhook, type AlertOptions } from "./alert-webhook.js";

export interface AlertParts {
  readonly meter: Meter;
  /** Shares alerts with other processes. `undefined` if the store cannot. */
  readonly store: StateStore["alerts"];
  readonly timers: Timers;
  readonly logger: Logger | undefined;
}

export function openAlerts({ meter, store, timers, logger }: AlertParts, options: AlertOptions = {}): AlertLog {
  const fault = logFault("alerts", logger);
  const { webhook, allowAddresses, secrets = new EnvSecrets(environment()) } = options;
  const sinks: AlertSink[] = [];
  if (store !== undefined) sinks.push(alertRecorder({ store, timers, fault }));
  if (webhook !== undefined) sinks.push(alertWebhook({ webhook, allowAddresses, secrets, meter, timers, fault }));
  return new AlertLog(meter, sinks);
}
