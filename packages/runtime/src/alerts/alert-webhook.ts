/** Sends the alerts of this process to an HTTP endpoint, signed like the events of subscriptions (Standard Webhooks). */
import type { Counter, Meter } from "@opentelemetry/api";
import { DEFAULT_TENANT, InputError, type ISecretsProvider, type RecordedAlert } from "@runledger/contracts";
import { busContext } from "../outbox/open-buses.js";
import { listOf } from "../outbox/webhook/internal-addresses.js";
import { SignedWebhook, webhookUrl } from "../outbox/webhook/signed-webhook.js";
import type { Timers } from "../time/timers.js";
import type { AlertSink } from "./alert-log.js";
import { AlertQueue } from "./alert-queue.js";
import { alertEvent, type AlertEvent } from "./alert-event.js";
import { Repeats } from "./repeats.js";

export interface AlertWebhook {
  /** Address that receives each alert as a CloudEvent of the type `dev.runledger.alert`. */
  readonly url: string;
  /** Names of the signing keys. Requests are signed with each of them. Default: they are not signed. */
  readonly secrets?: readonly string[];
}

export interface AlertOptions {
  /** Sends the alerts of this process. Default: no webhook is called. */
  readonly webhook?: AlertWebhook;
  /** Internal addresses that the webhook may call, such as `10.1.0.0/16`. Default: none. */
  readonly allowAddresses?: readonly string[];
  /** Resolves signing keys. Default: environment variables that start with `RUNLEDGER_SECRET_`. */
  readonly secrets?: ISecretsProvider;
}

export interface AlertWebhookParams {
  readonly webhook: AlertWebhook;
  readonly allowAddresses?: readonly string[] | undefined;
  readonly secrets: ISecretsProvider;
  readonly meter: Meter;
  readonly timers: Timers;
  readonly fault: (error: unknown) => void;
}

/** The same alert is sent once an hour. */
const WINDOW_MS = 3_600_000;
const REQUEST_MS = 10_000;
/** About half an hour. */
const MAX_ATTEMPTS = 36;

export function alertWebhook(params: AlertWebhookParams): AlertSink {
  const { timers, fault } = params;
  const [outcomes, webhook] = [outcomeCounter(params.meter), openWebhook(params)];
  const count = (outcome: string, times = 1): void => outcomes.add(times, { outcome });
  const repeats = new Repeats(WINDOW_MS, () => timers.now());
  const queue = new AlertQueue<AlertEvent>({
    timers,
    batchSize: 1,
    maxAttempts: MAX_ATTEMPTS,
    send: async ([event]) => {
      await webhook.post(requestOf(event!), AbortSignal.timeout(REQUEST_MS));
      count("sent");
    },
    onFailure: (error) => (count("failed"), fault(error)),
    onDropped: (dropped) => count("dropped", dropped),
  });
  const add = (alert: RecordedAlert): void => {
    const repeated = repeats.pass(alert);
    if (repeated === null) count("repeated");
    else queue.add(alertEvent(alert, repeated));
  };
  return { add, close: () => queue.close().finally(() => webhook.close()) };
}

function outcomeCounter(meter: Meter): Counter {
  const description =
    "Alerts for the webhook, by outcome: sent, failed (one attempt), repeated (held back) or dropped.";
  return meter.createCounter("runledger_alert_webhooks_total", { description });
}

function openWebhook({ webhook: { url, secrets: names = [] }, allowAddresses = [], secrets }: AlertWebhookParams) {
  const wrong = (message: string): InputError => new InputError("CONFIG_INVALID", "alerts.webhook.url", message);
  const keys = () => busContext(secrets, DEFAULT_TENANT).secrets(names);
  return new SignedWebhook({ url: webhookUrl(url, wrong), keys, allowed: listOf(allowAddresses) });
}

/** The id is the same in every attempt. */
function requestOf(event: AlertEvent) {
  return { id: event.id, contentType: "application/cloudevents+json; charset=utf-8", body: JSON.stringify(event) };
}
