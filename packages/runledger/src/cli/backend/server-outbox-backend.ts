import type { RunledgerClient } from "@runledger/client";
import { omitUndefined } from "@runledger/contracts";
import type { TestResult } from "@runledger/runtime";
import type { SubscriptionView } from "@runledger/runtime/outbox/subscription-view";
import { allPages } from "./all-pages.js";
import type { ListedDeadLetter, OutboxBackend, ShownDeadLetter, SubscriptionParams } from "./outbox-backend.js";

export class ServerOutboxBackend implements OutboxBackend {
  readonly #client: RunledgerClient;

  constructor(client: RunledgerClient) {
    this.#client = client;
  }

  list(): Promise<readonly SubscriptionView[]> {
    return allPages((after) => this.#client.listSubscriptions(omitUndefined({ after })));
  }

  get(subscriptionId: string): Promise<SubscriptionView> {
    return this.#client.getSubscription(subscriptionId);
  }

  put(subscriptionId: string, params: SubscriptionParams): Promise<SubscriptionView> {
    return this.#client.putSubscription(subscriptionId, params);
  }

  pause(subscriptionId: string): Promise<SubscriptionView> {
    return this.#client.pauseSubscription(subscriptionId);
  }

  resume(subscriptionId: string): Promise<SubscriptionView> {
    return this.#client.resumeSubscription(subscriptionId);
  }

  rewind(subscriptionId: string, from: string): Promise<SubscriptionView> {
    return this.#client.rewindSubscription(subscriptionId, from);
  }

  remove(subscriptionId: string): Promise<void> {
    return this.#client.removeSubscription(subscriptionId);
  }

  test(subscriptionId: string): Promise<TestResult> {
    return this.#client.testSubscription(subscriptionId);
  }

  deadLetters(subscription: string | undefined): Promise<readonly ListedDeadLetter[]> {
    return allPages((after) => this.#client.listDeadLetters(omitUndefined({ subscription, after })));
  }

  deadLetter(subscriptionId: string, runId: string): Promise<ShownDeadLetter> {
    return this.#client.getDeadLetter(subscriptionId, runId);
  }

  redrive(subscriptionId: string, runId: string): Promise<void> {
    return this.#client.redriveDeadLetter(subscriptionId, runId);
  }

  drop(subscriptionId: string, runId: string): Promise<void> {
    return this.#client.dropDeadLetter(subscriptionId, runId);
  }
}
