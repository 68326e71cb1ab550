import type { BusSettings, CanonicalEngineEvent, DeadLetter, SubscriptionFilter } from "@runledger/contracts";
import type { TestResult } from "@runledger/runtime";
import type { SubscriptionView } from "@runledger/runtime/outbox/subscription-view";

/** The operations on subscriptions and dead letters that commands need. */
export interface OutboxBackend {
  list(): Promise<readonly SubscriptionView[]>;
  get(subscriptionId: string): Promise<SubscriptionView>;
  put(subscriptionId: string, params: SubscriptionParams): Promise<SubscriptionView>;
  pause(subscriptionId: string): Promise<SubscriptionView>;
  resume(subscriptionId: string): Promise<SubscriptionView>;
  /** `from` is `beginning`, `now` or a time. */
  rewind(subscriptionId: string, from: string): Promise<SubscriptionView>;
  remove(subscriptionId: string): Promise<void>;
  test(subscriptionId: string): Promise<TestResult>;
  deadLetters(subscriptionId: string | undefined): Promise<readonly ListedDeadLetter[]>;
  deadLetter(subscriptionId: string, runId: string): Promise<ShownDeadLetter>;
  redrive(subscriptionId: string, runId: string): Promise<void>;
  drop(subscriptionId: string, runId: string): Promise<void>;
}

export interface SubscriptionParams {
  readonly bus: BusSettings;
  readonly filter: SubscriptionFilter;
  readonly maxAttempts?: number;
  readonly from?: string;
}

export type ListedDeadLetter = Omit<DeadLetter, "tenantId">;

export interface ShownDeadLetter extends ListedDeadLetter {
  /** `null` if the event cannot be read. */
  readonly event: CanonicalEngineEvent | null;
}
