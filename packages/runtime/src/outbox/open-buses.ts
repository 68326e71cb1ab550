/** The buses of the subscriptions that this process delivers. */
import type { ClaimedDelivery, ISecretsProvider, OutboxStore, Subscription } from "@runledger/contracts";
import { BusUnavailableError, UnknownBusError, type BusFactory, type EventBus } from "./event-bus.js";
import { messageOf } from "./outcomes.js";

export interface OpenBus {
  readonly subscription: Subscription;
  readonly bus: EventBus;
}

interface Entry {
  readonly version: number;
  readonly open: Promise<OpenBus | null>;
  users: number;
  /** `true` if the bus must be closed once it has no users. */
  isReplaced: boolean;
}

export class OpenBuses {
  readonly #outbox: OutboxStore;
  readonly #factories: ReadonlyMap<string, BusFactory>;
  readonly #secrets: ISecretsProvider;
  /** By number. Replaced when the definition has another version. */
  readonly #entries = new Map<number, Entry>();

  constructor(outbox: OutboxStore, factories: ReadonlyMap<string, BusFactory>, secrets: ISecretsProvider) {
    this.#outbox = outbox;
    this.#factories = factories;
    this.#secrets = secrets;
  }

  /**
   * Calls `work` with the bus, which stays open until `work` has finished, or with `null` if the subscription was removed or
   * rewound. Throws `BusUnavailableError` if the bus cannot be opened.
   */
  async use<T>(claimed: ClaimedDelivery, work: (open: OpenBus | null) => Promise<T>): Promise<T> {
    const entry = this.#entryOf(claimed);
    entry.users++;
    try {
      return await work(await entry.open);
    } finally {
      entry.users--;
      if (entry.isReplaced) closeUnused(entry);
    }
  }

  async close(): Promise<void> {
    for (const number of this.#entries.keys()) this.#replace(number);
  }

  #entryOf(claimed: ClaimedDelivery): Entry {
    const { number, version } = claimed;
    const known = this.#entries.get(number);
    if (known?.version === version) return known;
    this.#replace(number);
    const entry: Entry = { version, open: this.#openBus(claimed), users: 0, isReplaced: false };
    this.#entries.set(number, entry);
    entry.open.catch(() => this.#entries.get(number) === entry && this.#entries.delete(number));
    return entry;
  }

  #replace(number: number): void {
    const entry = this.#entries.get(number);
    this.#entries.delete(number);
    if (entry === undefined) return;
    entry.isReplaced = true;
    closeUnused(entry);
  }

  async #openBus({ tenantId, subscriptionId, number }: ClaimedDelivery): Promise<OpenBus | null> {
    const { subscription } = await this.#outbox.getSubscription({ tenantId, subscriptionId });
    if (subscription?.number !== number) return null;
    const { bus: settings } = subscription.definition;
    const factory = this.#factories.get(settings.type);
    if (factory === undefined)
      throw new UnknownBusError(`No process with the role outbox has registered the bus "${settings.type}".`);
    try {
      return { subscription, bus: factory.open(settings, busContext(this.#secrets, tenantId)) };
    } catch (error) {
      throw new BusUnavailableError(messageOf(error));
    }
  }
}

function closeUnused({ open, users }: Entry): void {
  if (users === 0) void open.then((bus) => bus?.bus.close?.()).catch(() => {}); // nothing depends on it
}

export function busContext(secrets: ISecretsProvider, tenantId: string) {
  return {
    tenantId,
    secrets: async (names: readonly string[]): Promise<readonly string[]> => {
      const refs = names.map((name) => ({ name }));
      const values = await secrets.resolve(refs, { tenantId, environmentId: "default" });
      return names.map((name) => values[name]!);
    },
  };
}
