/** Manages triggers. Every method is idempotent. */
import {
  DEFAULT_TENANT,
  InputError,
  StopError,
  type ISecretsProvider,
  type Json,
  type Trigger,
  type TriggerName,
} from "@runledger/contracts";
import { messageOf } from "../outbox/outcomes.js";
import { parseWith } from "../workflow/schema.js";
import { DATASET } from "./dataset/dataset-source.js";
import { EventHandler, type EventHandlerParts } from "./event-handler.js";
import type { SourceFactory } from "./event-source.js";
import { compileMapping } from "./mapping.js";
import { readFrom, readTrigger, type TriggerOptions, type TriggerTenantOption } from "./read-trigger.js";
import { readEvent } from "./received-event.js";
import type { EventOutcome } from "./start-for-event.js";
import { WebhookReceiver, type WebhookRequest } from "./webhook/webhook-receiver.js";

/** The outcome that an event would have. */
export type TriggerTest =
  | { readonly outcome: "start"; readonly key: string; readonly input: Json; readonly labels: Record<string, string> }
  | { readonly outcome: "skipped" }
  | { readonly outcome: "rejected"; readonly error: string };

export interface TriggerSetup {
  /** Sources by the type that triggers name. */
  readonly sources?: Readonly<Record<string, SourceFactory>>;
  /** Resolves the keys of webhooks. Default: environment variables that start with `RUNLEDGER_SECRET_`. */
  readonly secrets?: ISecretsProvider;
}

export interface LedgerTriggersParts extends EventHandlerParts {
  readonly secrets: () => ISecretsProvider;
}

export class LedgerTriggers {
  readonly #parts: LedgerTriggersParts;
  readonly #handler: EventHandler;
  readonly #receiver: WebhookReceiver;
  #setup: TriggerSetup = {};

  constructor(parts: LedgerTriggersParts) {
    this.#parts = parts;
    this.#handler = new EventHandler(parts);
    const secrets = (): ISecretsProvider => this.#setup.secrets ?? parts.secrets();
    this.#receiver = new WebhookReceiver({ handler: this.#handler, secrets, fault: parts.fault });
  }

  /** Registers the sources that `put` checks, and the keys that `receive` uses. `ledger.consumers()` calls it with its own. */
  use(setup: TriggerSetup): void {
    this.#setup = setup;
  }

  /** Creates a trigger, or replaces its definition. A replaced one continues where it was. */
  async put(options: TriggerOptions): Promise<Trigger> {
    const name = nameOf(options.id, options);
    const definition = readTrigger(options, this.#setup.sources ?? {});
    const startsAt = readFrom(options.from ?? "now");
    const { triggers, datasets } = this.#parts.store;
    if (definition.source.type === DATASET && datasets === undefined)
      throw new StopError("STORE_UNSUITABLE", NO_DATASETS);
    for (;;) {
      const created = await triggers.createTrigger({ ...name, definition, startsAt });
      const found = created ?? (await triggers.changeTrigger(name, definition));
      if (found !== null) return found; // otherwise it was removed meanwhile
    }
  }

  /** Resolves to `null` if the trigger does not exist. */
  get(id: string, options: TriggerTenantOption = {}): Promise<Trigger | null> {
    return this.#parts.store.triggers.getTrigger(nameOf(id, options));
  }

  /** Lists triggers by id. */
  list(options: TriggerTenantOption & { readonly afterId?: string; readonly limit?: number } = {}): Promise<Trigger[]> {
    return this.#parts.store.triggers.listTriggers({ ...options, tenantId: options.tenantId ?? DEFAULT_TENANT });
  }

  /** Starts no more runs. Events stay with the broker, and senders of webhooks get an error that asks them to send again. */
  async pause(id: string, options: TriggerTenantOption = {}): Promise<Trigger> {
    return existing(id, await this.#parts.store.triggers.pauseTrigger(nameOf(id, options), true));
  }

  async resume(id: string, options: TriggerTenantOption = {}): Promise<Trigger> {
    return existing(id, await this.#parts.store.triggers.pauseTrigger(nameOf(id, options), false));
  }

  /** Deletes the trigger. Its runs stay, and so do the keys of its events. */
  async remove(id: string, options: TriggerTenantOption = {}): Promise<void> {
    existing(id, (await this.#parts.store.triggers.removeTrigger(nameOf(id, options))) || null);
  }

  /** Returns what an event would start. Starts nothing. */
  async test(id: string, event: Json, options: TriggerTenantOption = {}): Promise<TriggerTest> {
    const { tenantId, definition } = existing(id, await this.get(id, options));
    try {
      const read = readEvent({ headers: {}, body: JSON.stringify(event), id: "test", position: "test" });
      const mapped = compileMapping(definition).map(read);
      if (mapped === null) return { outcome: "skipped" };
      const { workflow, version } = definition;
      const found = await this.#parts.find({ id: workflow, version, tenantId });
      const input = (await parseWith(found.input, "input", mapped.input)) as Json;
      return { outcome: "start", key: mapped.key, input, labels: { ...mapped.labels } };
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      return { outcome: "rejected", error: messageOf(error) };
    }
  }

  /**
   * Starts the run of a signed request, for servers of your own. Throws UNAUTHENTICATED for a wrong signature. `onVerified`
   * is called before anything is started.
   */
  receive(
    id: string,
    request: WebhookRequest,
    options: TriggerTenantOption & { readonly onVerified?: () => void } = {},
  ): Promise<EventOutcome> {
    return this.#receiver.receive(nameOf(id, options), request, options.onVerified);
  }

  /** Resolves once the counters of all received events are saved. */
  settled(): Promise<void> {
    return this.#handler.settled();
  }
}

const NO_DATASETS =
  "This store does not have an index of datasets (port datasets). Use a ledger on postgres:// or embedded: for that.";

function nameOf(triggerId: string, { tenantId = DEFAULT_TENANT }: TriggerTenantOption): TriggerName {
  return { tenantId, triggerId };
}

function existing<T>(id: string, found: T | null): T {
  if (found === null) throw new InputError("TRIGGER_NOT_FOUND", "id", `there is no trigger ${id}.`);
  return found;
}
