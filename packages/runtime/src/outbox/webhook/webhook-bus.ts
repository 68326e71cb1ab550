/** Sends events to an HTTP endpoint as CloudEvents, one or several of a run per request, signed (Standard Webhooks). */
import { createHash } from "node:crypto";
import { InputError, type BusSettings, type Json } from "@runledger/contracts";
import { isText, type BusContext, type BusFactory, type BusMessage, type EventBus } from "../event-bus.js";
import { listOf } from "./internal-addresses.js";
import type { ResolveName } from "./send-request.js";
import { SignedWebhook, webhookUrl, type SignedWebhookParams } from "./signed-webhook.js";

interface WebhookSettings {
  readonly url: URL;
  /** Names of the signing keys. */
  readonly secrets: readonly string[];
  readonly batchSize: number;
}

type WebhookRest = Pick<SignedWebhookParams, "allowed" | "resolve">;

const MAX_BATCH = 50;

export function webhookBus(options: {
  readonly allow?: readonly string[];
  readonly resolve?: ResolveName;
}): BusFactory {
  const allowed = listOf(options.allow ?? []);
  return {
    open: (settings, context) => new WebhookBus(readSettings(settings), context, { allowed, resolve: options.resolve }),
    check: (settings) => void readSettings(settings),
  };
}

class WebhookBus implements EventBus {
  readonly batchSize: number;
  readonly #webhook: SignedWebhook;

  constructor({ url, secrets, batchSize }: WebhookSettings, context: BusContext, rest: WebhookRest) {
    this.batchSize = batchSize;
    this.#webhook = new SignedWebhook({ url, keys: () => context.secrets(secrets), ...rest });
  }

  publish(message: BusMessage, signal: AbortSignal): Promise<void> {
    const isBatch = this.batchSize > 1;
    const contentType = `application/cloudevents${isBatch ? "-batch" : ""}+json; charset=utf-8`;
    const body = JSON.stringify(isBatch ? message.events : message.events[0]);
    return this.#webhook.post({ id: idOf(message), contentType, body }, signal);
  }

  async close(): Promise<void> {
    this.#webhook.close();
  }
}

/** The same events have the same id in every attempt. It has no characters that a header cannot carry. */
function idOf({ tenantId, subscriptionId, runId, events }: BusMessage): string {
  const parts = [tenantId, subscriptionId, runId, ...events.map(({ id }) => id)];
  return `msg_${createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, 32)}`;
}

const KNOWN = new Set(["type", "url", "secrets", "batchSize"]);

function readSettings(settings: BusSettings): WebhookSettings {
  const unknown = Object.keys(settings).find((name) => !KNOWN.has(name));
  if (unknown !== undefined) throw wrong(unknown, "is not a setting of webhooks.");
  const { url, secrets = [], batchSize = 1 } = settings;
  if (!Array.isArray(secrets) || !secrets.every((name) => isText(name as Json)))
    throw wrong("secrets", "must list the names of signing keys.");
  if (typeof batchSize !== "number" || !Number.isInteger(batchSize) || batchSize < 1 || batchSize > MAX_BATCH)
    throw wrong("batchSize", `must be a whole number from 1 to ${MAX_BATCH}.`);
  return { url: webhookUrl(url, (message) => wrong("url", message)), secrets: secrets as readonly string[], batchSize };
}

function wrong(setting: string, message: string): InputError {
  return new InputError("SUBSCRIPTION_INVALID", `bus.${setting}`, message);
}
