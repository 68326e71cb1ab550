/** Receives the events of triggers over HTTP. The signature of a request authenticates it. */
import { InputError, RetryError, type ISecretsProvider, type Trigger, type TriggerName } from "@runledger/contracts";
import { busContext } from "../../outbox/open-buses.js";
import type { EventHandler } from "../event-handler.js";
import type { ReceivedMessage } from "../received-event.js";
import type { EventOutcome } from "../start-for-event.js";
import { isSigned, signedHeaders, type SignedHeaders } from "./verify-signature.js";
import { readWebhookSettings, WEBHOOK } from "./webhook-settings.js";

export interface WebhookRequest {
  /** Names are lower-case. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: Buffer;
}

export interface WebhookReceiverParts {
  readonly handler: EventHandler;
  readonly secrets: () => ISecretsProvider;
  readonly fault: (error: unknown) => void;
}

/** Resolved keys are used for this long, so that a rotation needs no restart. */
const KEYS_MS = 30_000;
const MAX_KEYS = 1000;

type Keys = Promise<readonly string[]>;

export class WebhookReceiver {
  readonly #parts: WebhookReceiverParts;
  readonly #keys = new Map<string, { readonly until: number; readonly values: Keys }>();

  constructor(parts: WebhookReceiverParts) {
    this.#parts = parts;
  }

  /** Throws UNAUTHENTICATED for a wrong signature and for a trigger that does not exist. `onVerified` may refuse the request. */
  async receive(name: TriggerName, request: WebhookRequest, onVerified?: () => void): Promise<EventOutcome> {
    const { handler } = this.#parts;
    const headers = textHeaders(request);
    const signed = signedHeaders(headers);
    const trigger = signed === null ? null : await handler.store.triggers.getTrigger(name);
    if (signed === null || trigger === null || !(await this.#isGenuine(trigger, signed, request.body)))
      throw unauthenticated();
    checkTime(trigger, signed);
    onVerified?.();
    if (trigger.pausedAt !== null)
      throw new RetryError("TRIGGER_PAUSED", `Trigger ${trigger.triggerId} is paused. Send the event again later.`);
    const position = `webhook ${signed.id}`;
    return this.#start(trigger, { headers, body: request.body.toString("utf8"), id: signed.id, position });
  }

  async #start(trigger: Trigger, message: ReceivedMessage): Promise<EventOutcome> {
    const { handler } = this.#parts;
    try {
      return await handler.start(trigger, message);
    } catch (error) {
      if (!(error instanceof RetryError)) await handler.reject(trigger, message, error);
      throw error;
    }
  }

  async #isGenuine({ tenantId, definition }: Trigger, signed: SignedHeaders, body: Buffer): Promise<boolean> {
    if (definition.source.type !== WEBHOOK) return false;
    const { secrets } = readWebhookSettings(definition.source);
    const keys = await this.#keysOf(tenantId, secrets);
    return isSigned(signed, body, keys);
  }

  /** A key that cannot be resolved is reported to the operator, and not to the sender. */
  #keysOf(tenantId: string, names: readonly string[]): Keys {
    const now = performance.now();
    const key = JSON.stringify([tenantId, names]);
    const known = this.#keys.get(key);
    if (known !== undefined && now < known.until) return known.values;
    if (this.#keys.size >= MAX_KEYS) this.#keys.clear();
    const { secrets, fault } = this.#parts;
    const values = busContext(secrets(), tenantId)
      .secrets(names)
      .catch((error: unknown) => {
        fault(error);
        return [];
      });
    this.#keys.set(key, { until: now + KEYS_MS, values });
    return values;
  }
}

function textHeaders({ headers }: WebhookRequest): Record<string, string> {
  const texts = Object.entries(headers).filter((entry): entry is [string, string] => typeof entry[1] === "string");
  return Object.fromEntries(texts);
}

/** A recorded request cannot be sent again later. Within the tolerance, its event id starts no second run. */
function checkTime({ definition }: Trigger, { timestamp }: SignedHeaders): void {
  const { toleranceSeconds } = readWebhookSettings(definition.source);
  const offBy = Math.round(Math.abs(Date.now() / 1000 - timestamp));
  if (offBy <= toleranceSeconds) return;
  const message = `is ${offBy} seconds off. The trigger accepts ${toleranceSeconds}. Sign the request again, and check the clocks.`;
  throw new InputError("UNAUTHENTICATED", "webhook-timestamp", message);
}

/** One message for all causes: senders without a key must not learn which triggers exist. */
function unauthenticated(): InputError {
  const message =
    "is missing or wrong, or there is no such trigger. Sign the request with a key of the trigger (Standard Webhooks).";
  return new InputError("UNAUTHENTICATED", "webhook-signature", message);
}
