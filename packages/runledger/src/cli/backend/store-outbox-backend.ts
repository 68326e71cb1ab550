import { DEFAULT_TENANT, InputError } from "@runledger/contracts";
import type { TestResult } from "@runledger/runtime";
import {
  viewSubscription,
  viewSubscriptions,
  type SubscriptionView,
} from "@runledger/runtime/outbox/subscription-view";
import type { ListedDeadLetter, OutboxBackend, ShownDeadLetter, SubscriptionParams } from "./outbox-backend.js";
import type { StoreBackendOptions } from "./store-backend.js";

const PAGE = 1000;

export class StoreOutboxBackend implements OutboxBackend {
  readonly #options: StoreBackendOptions;
  readonly #tenant: { readonly tenantId: string };

  constructor(options: StoreBackendOptions) {
    this.#options = options;
    this.#tenant = { tenantId: options.tenantId ?? DEFAULT_TENANT };
  }

  get #subscriptions() {
    return this.#options.ledger.subscriptions;
  }

  get #outbox() {
    return this.#options.ledger.store.outbox;
  }

  async list(): Promise<readonly SubscriptionView[]> {
    const found: SubscriptionView[] = [];
    for (let afterId = ""; ;) {
      const page = await viewSubscriptions(this.#outbox, { ...this.#tenant, afterId, limit: PAGE });
      found.push(...page);
      if (page.length < PAGE) return found;
      afterId = page.at(-1)!.subscriptionId;
    }
  }

  async get(subscriptionId: string): Promise<SubscriptionView> {
    const view = await viewSubscription(this.#outbox, { ...this.#tenant, subscriptionId });
    if (view !== null) return view;
    const message = `${subscriptionId} does not exist. Run runledger outbox list to see all subscriptions.`;
    throw new InputError("SUBSCRIPTION_NOT_FOUND", "id", message);
  }

  async put(id: string, params: SubscriptionParams): Promise<SubscriptionView> {
    await this.#useBuses();
    await this.#subscriptions.put({ id, ...this.#tenant, ...params });
    return this.get(id);
  }

  async pause(id: string): Promise<SubscriptionView> {
    await this.#subscriptions.pause(id, this.#tenant);
    return this.get(id);
  }

  async resume(id: string): Promise<SubscriptionView> {
    await this.#subscriptions.resume(id, this.#tenant);
    return this.get(id);
  }

  async rewind(id: string, from: string): Promise<SubscriptionView> {
    await this.#subscriptions.rewind(id, from, this.#tenant);
    return this.get(id);
  }

  remove(id: string): Promise<void> {
    return this.#subscriptions.remove(id, this.#tenant);
  }

  async test(id: string): Promise<TestResult> {
    await this.#useBuses();
    return this.#subscriptions.test(id, this.#tenant);
  }

  async deadLetters(subscriptionId: string | undefined): Promise<readonly ListedDeadLetter[]> {
    const filter = { ...this.#tenant, ...(subscriptionId === undefined ? {} : { subscriptionId }), limit: PAGE };
    const found: ListedDeadLetter[] = [];
    for (let after = { subscriptionId: "", runId: "" }; ;) {
      const page = await this.#subscriptions.deadLetters({ ...filter, after });
      found.push(...page.map(({ tenantId: _, ...letter }) => letter));
      if (page.length < PAGE) return found;
      after = page.at(-1)!;
    }
  }

  async deadLetter(id: string, runId: string): Promise<ShownDeadLetter> {
    const { tenantId: _, ...letter } = await this.#subscriptions.deadLetter(id, runId, this.#tenant);
    return letter;
  }

  redrive(id: string, runId: string): Promise<void> {
    return this.#subscriptions.redrive(id, runId, this.#tenant);
  }

  drop(id: string, runId: string): Promise<void> {
    return this.#subscriptions.drop(id, runId, this.#tenant);
  }

  /** Without a project, only webhooks are known. */
  async #useBuses(): Promise<void> {
    const project = await this.#options.project();
    this.#subscriptions.useBuses(project?.config.outbox ?? {});
  }
}
