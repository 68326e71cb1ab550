/** Manages subscriptions to events. Every method is idempotent. */
import {
  DEFAULT_TENANT,
  InputError,
  newId,
  type BusSettings,
  type CanonicalEngineEvent,
  type DeadLetter,
  type FullStateStore,
  type ISecretsProvider,
  type Subscription,
  type SubscriptionDefinition,
  type SubscriptionFilter,
  type SubscriptionName,
  type SubscriptionStatus,
} from "@runledger/contracts";
import { busFactories, checkBus, type BusOptions } from "./bus-factories.js";
import { testEvent } from "./cloud-event.js";
import { publishInTime } from "./event-bus.js";
import { busContext } from "./open-buses.js";
import { messageOf } from "./outcomes.js";
import { checkFilter, checkMaxAttempts, readStart, type StartFrom } from "./read-options.js";

export interface SubscriptionTenantOption {
  /** Default `default`. */
  readonly tenantId?: string;
}

export interface SubscriptionOptions extends SubscriptionTenantOption {
  readonly id: string;
  /** `{ type: "webhook", url, secrets, batchSize }`, or the type of a registered bus and its settings. */
  readonly bus: BusSettings;
  /** Default: every event of every run of the tenant. */
  readonly filter?: SubscriptionFilter;
  /** Failed attempts after which an event becomes a dead letter. Default 20, which takes about two hours. */
  readonly maxAttempts?: number;
  /** The first events that a new subscription delivers. Default `now`. */
  readonly from?: StartFrom;
}

export interface TestResult {
  readonly isDelivered: boolean;
  /** Absent if the test event was delivered. */
  readonly error?: string;
}

export interface InspectedDeadLetter extends DeadLetter {
  /** `null` if the event cannot be read. */
  readonly event: CanonicalEngineEvent | null;
}

const TEST_MS = 10_000;
const DEFAULT_ATTEMPTS = 20;

export class LedgerSubscriptions {
  readonly #store: FullStateStore;
  #secrets: () => ISecretsProvider;
  #buses: BusOptions = {};

  constructor(store: FullStateStore, secrets: () => ISecretsProvider) {
    this.#store = store;
    this.#secrets = secrets;
  }

  /** Registers the buses that `put` checks and `test` uses, and their secrets. `ledger.outbox()` calls it with its own. */
  useBuses(buses: BusOptions & { readonly secrets?: ISecretsProvider }): void {
    busFactories(buses, this.#store); // refuses wrong addresses
    this.#buses = buses;
    const { secrets } = buses;
    if (secrets !== undefined) this.#secrets = () => secrets;
  }

  /** Creates a subscription, or replaces its definition. A replaced one continues where it was. */
  async put(options: SubscriptionOptions): Promise<Subscription> {
    const name = nameOf(options.id, options);
    const definition = this.#definitionOf(options);
    const startsAt = readStart(options.from ?? "now");
    const { outbox } = this.#store;
    for (;;) {
      const saved = (await outbox.createSubscription({ ...name, definition, startsAt })) ?? null;
      const found = saved ?? (await outbox.changeSubscription(name, definition));
      if (found !== null) return found; // otherwise it was removed meanwhile
    }
  }

  /** Resolves to `null` if the subscription does not exist. */
  async get(id: string, options: SubscriptionTenantOption = {}): Promise<Subscription | null> {
    return (await this.#store.outbox.getSubscription(nameOf(id, options))).subscription;
  }

  /** Lists subscriptions by id. */
  list(
    options: SubscriptionTenantOption & { readonly afterId?: string; readonly limit?: number } = {},
  ): Promise<Subscription[]> {
    return this.#store.outbox.listSubscriptions({ ...options, tenantId: options.tenantId ?? DEFAULT_TENANT });
  }

  /** Returns how far a subscription is. */
  async status(id: string, options: SubscriptionTenantOption = {}): Promise<SubscriptionStatus> {
    return existing(id, await this.#store.outbox.subscriptionStatus(nameOf(id, options)));
  }

  /** Stops deliveries. Events that are recorded meanwhile are delivered after `resume`. */
  async pause(id: string, options: SubscriptionTenantOption = {}): Promise<Subscription> {
    return existing(id, await this.#store.outbox.pauseSubscription(nameOf(id, options), true));
  }

  /** Continues, and retries a bus that was unavailable immediately. */
  async resume(id: string, options: SubscriptionTenantOption = {}): Promise<Subscription> {
    return existing(id, await this.#store.outbox.pauseSubscription(nameOf(id, options), false));
  }

  /** Delivers events again, from the beginning or from a time. Forgets dead letters. */
  async rewind(id: string, from: StartFrom, options: SubscriptionTenantOption = {}): Promise<Subscription> {
    return existing(id, await this.#store.outbox.rewindSubscription(nameOf(id, options), readStart(from)));
  }

  /** Deletes the subscription and its dead letters. */
  async remove(id: string, options: SubscriptionTenantOption = {}): Promise<void> {
    existing(id, (await this.#store.outbox.removeSubscription(nameOf(id, options))) || null);
  }

  /** Sends one event of the type `dev.runledger.Test`, without retries. */
  async test(id: string, options: SubscriptionTenantOption = {}): Promise<TestResult> {
    const name = nameOf(id, options);
    const { now, subscription } = await this.#store.outbox.getSubscription(name);
    const { definition, number: subscriptionNumber } = existing(id, subscription);
    const { bus: settings } = definition;
    const factory = busFactories(this.#buses, this.#store).get(settings.type);
    if (factory === undefined) return { isDelivered: false, error: `This process has no bus "${settings.type}".` };
    const events = [testEvent(name.tenantId, newId("test"), now)];
    const message = { ...name, subscriptionNumber, runId: "test", events };
    try {
      const bus = factory.open(settings, busContext(this.#secrets(), name.tenantId));
      await publishInTime(bus, message, TEST_MS).finally(() => void bus.close?.());
      return { isDelivered: true };
    } catch (error) {
      return { isDelivered: false, error: messageOf(error) };
    }
  }

  /** Lists dead letters by subscription and run. */
  deadLetters(
    options: SubscriptionTenantOption & {
      readonly subscriptionId?: string;
      readonly after?: { readonly subscriptionId: string; readonly runId: string };
      readonly limit?: number;
    } = {},
  ): Promise<DeadLetter[]> {
    return this.#store.outbox.listDeadLetters({ ...options, tenantId: options.tenantId ?? DEFAULT_TENANT });
  }

  /** Returns a dead letter with its event. */
  async deadLetter(id: string, runId: string, options: SubscriptionTenantOption = {}): Promise<InspectedDeadLetter> {
    const { tenantId, subscriptionId } = nameOf(id, options);
    const [letter] = await this.#store.outbox.listDeadLetters({ tenantId, subscriptionId, runId });
    if (letter === undefined) throw noLetter(id, runId);
    const read = this.#store.forTenant(tenantId).fetchEvents(runId, { afterSeq: letter.runSeq - 1, limit: 1 });
    const [event] = await read.catch(() => []); // a damaged log is a reason for a dead letter
    return { ...letter, event: event ?? null };
  }

  /** Attempts the event again, now. The later events of the run follow it. */
  async redrive(id: string, runId: string, options: SubscriptionTenantOption = {}): Promise<void> {
    if (!(await this.#store.outbox.redriveDeadLetter({ ...nameOf(id, options), runId }))) throw noLetter(id, runId);
  }

  /** Skips the event. The later events of the run are delivered. */
  async drop(id: string, runId: string, options: SubscriptionTenantOption = {}): Promise<void> {
    if (!(await this.#store.outbox.dropDeadLetter({ ...nameOf(id, options), runId }))) throw noLetter(id, runId);
  }

  #definitionOf({ bus, filter = {}, maxAttempts = DEFAULT_ATTEMPTS }: SubscriptionOptions): SubscriptionDefinition {
    checkBus(busFactories(this.#buses, this.#store), bus);
    checkMaxAttempts(maxAttempts);
    return { bus, filter: checkFilter(filter), maxAttempts };
  }
}

function nameOf(subscriptionId: string, { tenantId = DEFAULT_TENANT }: SubscriptionTenantOption): SubscriptionName {
  return { tenantId, subscriptionId };
}

function existing<T>(id: string, found: T | null): T {
  if (found === null) throw new InputError("SUBSCRIPTION_NOT_FOUND", "id", `there is no subscription ${id}.`);
  return found;
}

function noLetter(id: string, runId: string): InputError {
  const message = `run ${runId} has no dead letter in subscription ${id}.`;
  return new InputError("DEAD_LETTER_NOT_FOUND", "runId", message);
}
