/** Posts signed messages to an HTTP endpoint (Standard Webhooks). */
import type { BlockList } from "node:net";
import { judgeAnswer } from "./judge-answer.js";
import { ResolvedKeys } from "./resolved-keys.js";
import { WebhookConnection, type ResolveName } from "./send-request.js";
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

const RECEIVER = "The webhook";

export class SignedWebhook {
  readonly #keys: ResolvedKeys;
  readonly #connection: WebhookConnection;

  constructor({ url, keys, allowed, resolve }: SignedWebhookParams) {
    this.#keys = new ResolvedKeys(keys);
    this.#connection = new WebhookConnection(url, { allowed, resolve, receiver: RECEIVER });
  }

  /** Throws `BusUnavailableError` if the endpoint cannot be reached, and any other error if it refuses the message. */
  async post({ id, contentType, body }: WebhookMessage, signal: AbortSignal): Promise<void> {
    const signed = { id, timestamp: Math.floor(Date.now() / 1000), body };
    const headers = {
      "content-type": contentType,
      "user-agent": "runledger",
      ...signatureHeaders(signed, await this.#keys.values()),
    };
    judgeAnswer(await this.#connection.post({ body, headers, signal }), RECEIVER);
  }

  close(): void {
    this.#connection.close();
  }
}

/** Reads an address of a webhook. `wrong` creates the error. */
export function webhookUrl(text: unknown, wrong: (message: string) => Error): URL {
  const url = typeof text === "string" && URL.canParse(text) ? new URL(text) : null;
  if (url === null || !["http:", "https:"].includes(url.protocol))
    throw wrong("must be an address that starts with https:// or http://.");
  if (url.username !== "" || url.password !== "") throw wrong("must not contain a user or a password.");
  return url;
}
