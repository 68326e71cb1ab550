/** Posts signed messages to an HTTP endpoint (Standard Webhooks). */
import type { BlockList } from "node:net";
import { BusUnavailableError } from "../event-bus.js";
import { messageOf } from "../outcomes.js";
import { WebhookConnection, type Answer, type ResolveName } from "./send-request.js";
import { signatureHeaders } from "./signature.js";

export interface SignedWebhookParams {
  readonly url: URL;
  /** Resolves the signing keys. */
  readonly keys: () => Promise<readonly string[]>;
  /** Internal addresses that may be called. */
  readonly allowed: BlockList;
  readonly resolve?: ResolveName | undefined;
}

export interface WebhookMessage {
  /** The same in every attempt. */
  readonly id: string;
  readonly contentType: string;
  readonly body: string;
}

/** Resolved keys are used for this long, so that a rotation needs no restart. */
const KEYS_MS = 30_000;

export class SignedWebhook {
  readonly #params: SignedWebhookParams;
  readonly #connection: WebhookConnection;
  #keys: { readonly until: number; readonly values: readonly string[] } | null = null;

  constructor(params: SignedWebhookParams) {
    this.#params = params;
    this.#connection = new WebhookConnection(params.url, params.allowed, params.resolve);
  }

  /** Throws `BusUnavailableError` if the endpoint cannot be reached, and any other error if it refuses the message. */
  async post({ id, contentType, body }: WebhookMessage, signal: AbortSignal): Promise<void> {
    const signed = { id, timestamp: Math.floor(Date.now() / 1000), body };
    const headers = {
      "content-type": contentType,
      "user-agent": "runledger",
      ...signatureHeaders(signed, await this.#signingKeys()),
    };
    judge(await this.#connection.post({ body, headers, signal }));
  }

  close(): void {
    this.#connection.close();
  }

  async #signingKeys(): Promise<readonly string[]> {
    const now = performance.now();
    if (this.#keys !== null && now < this.#keys.until) return this.#keys.values;
    const values = await this.#params.keys().catch((error: unknown) => {
      throw new BusUnavailableError(messageOf(error));
    });
    this.#keys = { until: now + KEYS_MS, values };
    return values;
  }
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

/** Reads an address of a webhook. `wrong` creates the error. */
export function webhookUrl(text: unknown, wrong: (message: string) => Error): URL {
  const url = typeof text === "string" && URL.canParse(text) ? new URL(text) : null;
  if (url === null || !["http:", "https:"].includes(url.protocol))
    throw wrong("must be an address that starts with https:// or http://.");
  if (url.username !== "" || url.password !== "") throw wrong("must not contain a user or a password.");
  return url;
}
