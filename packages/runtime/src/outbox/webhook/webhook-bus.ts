/** Sends events to an HTTP endpoint as CloudEvents, one or several of a run per request, signed (Standard Webhooks). */
import { createHash } from "node:crypto";
import type { BlockList } from "node:net";
import { InputError, type BusSettings, type Json } from "@runledger/contracts";
import {
  BusUnavailableError,
  isText,
  type BusContext,
  type BusFactory,
  type BusMessage,
  type EventBus,
} from "../event-bus.js";
import { messageOf } from "../outcomes.js";
import { listOf } from "./internal-addresses.js";
import { WebhookConnection, type Answer, type ResolveName } from "./send-request.js";
import { signatureHeaders } from "./signature.js";

interface WebhookSettings {
  readonly url: URL;
  /** Names of the signing keys. */
  readonly secrets: readonly string[];
  readonly batchSize: number;
}

const MAX_BATCH = 50;
/** Resolved keys are used for this long, so that a rotation needs no restart. */
const KEYS_MS = 30_000;

export function webhookBus(options: {
  readonly allow?: readonly string[];
  readonly resolve?: ResolveName;
}): BusFactory {
  const allowed = listOf(options.allow ?? []);
  return {
    open: (settings, context) => new WebhookBus(readSettings(settings), context, allowed, options.resolve),
    check: (settings) => void readSettings(settings),
  };
}

class WebhookBus implements EventBus {
  readonly batchSize: number;
  readonly #settings: WebhookSettings;
  readonly #context: BusContext;
  readonly #connection: WebhookConnection;
  #keys: { readonly until: number; readonly values: readonly string[] } | null = null;

  constructor(settings: WebhookSettings, context: BusContext, allowed: BlockList, resolve?: ResolveName) {
    this.batchSize = settings.batchSize;
    this.#settings = settings;
    this.#context = context;
    this.#connection = new WebhookConnection(settings.url, allowed, resolve);
  }

  async publish(message: BusMessage, signal: AbortSignal): Promise<void> {
    const isBatch = this.#settings.batchSize > 1;
    const body = JSON.stringify(isBatch ? message.events : message.events[0]);
    const signed = { id: idOf(message), timestamp: Math.floor(Date.now() / 1000), body };
    const headers = {
      "content-type": `application/cloudevents${isBatch ? "-batch" : ""}+json; charset=utf-8`,
      "user-agent": "runledger",
      ...signatureHeaders(signed, await this.#signingKeys()),
    };
    judge(await this.#connection.post({ body, headers, signal }));
  }

  async close(): Promise<void> {
    this.#connection.close();
  }

  async #signingKeys(): Promise<readonly string[]> {
    const now = performance.now();
    if (this.#keys !== null && now < this.#keys.until) return this.#keys.values;
    const values = await this.#context.secrets(this.#settings.secrets).catch((error: unknown) => {
      throw new BusUnavailableError(messageOf(error));
    });
    this.#keys = { until: now + KEYS_MS, values };
    return values;
  }
}

/** The same events have the same id in every attempt. It has no characters that a header cannot carry. */
function idOf({ tenantId, subscriptionId, runId, events }: BusMessage): string {
  const parts = [tenantId, subscriptionId, runId, ...events.map(({ id }) => id)];
  return `msg_${createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, 32)}`;
}

/** Answers that do not concern the event: the endpoint is wrong, busy or moved. */
const NOT_THE_EVENT = new Set([401, 403, 404, 405, 407, 408, 410, 421, 425, 429, 502, 503, 504]);
const MAX_RETRY_AFTER_S = 3600;

function judge({ status, retryAfter, text }: Answer): void {
  if (status >= 200 && status < 300) return;
  const message = `The webhook answered ${status}${text === "" ? "." : `: ${text}`}`;
  if (status >= 300 && status < 400) throw new BusUnavailableError(`${message} Redirects are not followed.`);
  if (!NOT_THE_EVENT.has(status)) throw new Error(message);
  const seconds = /^\d+$/.test(retryAfter ?? "") ? Math.min(Number(retryAfter), MAX_RETRY_AFTER_S) : 0;
  throw new BusUnavailableError(message, seconds * 1000);
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
  return { url: readUrl(url), secrets: secrets as readonly string[], batchSize };
}

function readUrl(text: Json | undefined): URL {
  const url = isText(text) && URL.canParse(text) ? new URL(text) : null;
  if (url === null || !["http:", "https:"].includes(url.protocol))
    throw wrong("url", "must be an address that starts with https:// or http://.");
  if (url.username !== "" || url.password !== "") throw wrong("url", "must not contain a user or a password.");
  return url;
}

function wrong(setting: string, message: string): InputError {
  return new InputError("SUBSCRIPTION_INVALID", `bus.${setting}`, message);
}
