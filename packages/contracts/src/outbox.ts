import type { RunChange } from "./change-feed.js";
import type { Json } from "./json.js";

/** Selects events. An absent part selects everything. */
export interface SubscriptionFilter {
  /** Ids of workflows. */
  readonly workflows?: readonly string[];
  readonly eventTypes?: readonly string[];
  /** A run needs all of these labels. */
  readonly labels?: Readonly<Record<string, string>>;
}

/** The bus that receives the events, and its settings. Secrets are references, never values. */
export interface BusSettings {
  /** `webhook`, or the name under which a process registers a bus. */
  readonly type: string;
  readonly [setting: string]: Json;
}

/** Data only: any process with the role `outbox` can deliver it. */
export interface SubscriptionDefinition {
  readonly bus: BusSettings;
  readonly filter: SubscriptionFilter;
  /** Failed attempts after which an event becomes a dead letter. */
  readonly maxAttempts: number;
}

export interface SubscriptionName {
  readonly tenantId: string;
  readonly subscriptionId: string;
}

/** A subscription to the events of a tenant's runs. All times come from the store's clock. */
export interface Subscription extends SubscriptionName {
  readonly definition: SubscriptionDefinition;
  /**
   * Identifies the deliveries of the subscription. A rewind assigns a new number, so everything is delivered again. Numbers
   * never repeat.
   */
  readonly number: number;
  /** Changes whenever the definition changes. */
  readonly version: number;
  /** Events that were stored before this time are not delivered. `null` if all are. */
  readonly startsAt: string | null;
  readonly createdAt: string;
  /** `null` if the subscription is not paused. */
  readonly pausedAt: string | null;
  /** Consecutive attempts at which the bus was unavailable. */
  readonly failures: number;
  /** No delivery is attempted before this time. `null` if the bus is available. */
  readonly retryAt: string | null;
  readonly lastError: { readonly at: string; readonly message: string } | null;
  readonly lastDeliveredAt: string | null;
}

/** How far a subscription is. */
export interface SubscriptionStatus {
  /** Runs with events that were not delivered, at most 10,000. Includes runs behind a dead letter. */
  readonly pendingRuns: number;
  /** The time since which the oldest of them waits. `null` if there is none. */
  readonly oldestPendingAt: string | null;
  /** At most 10,000. */
  readonly deadLetters: number;
  /** `true` while runs that existed before the subscription are still being listed. */
  readonly isFilling: boolean;
}

/** The deliveries of one run that a process holds. */
export interface ClaimedDelivery extends SubscriptionName {
  readonly number: number;
  /** Identifies the claim. Its outcome needs it. */
  readonly token: string;
  /** The version of the definition. */
  readonly version: number;
  readonly startsAt: string | null;
  readonly runId: string;
  /** Everything up to this seq was delivered, dropped or not selected. */
  readonly deliveredSeq: number;
  readonly headSeq: number;
  /** Failed attempts of the next event. */
  readonly attempts: number;
  /** Failed attempts of the subscription, while the bus is unavailable. */
  readonly failures: number;
  /** `true` if the bus has accepted other events since the run's last failure. */
  readonly othersDelivered: boolean;
}

/** The outcome of one claimed delivery. Without a failure and at the same watermark, the failed attempts stay counted. */
export interface DeliveryOutcome {
  readonly number: number;
  readonly runId: string;
  readonly token: string;
  /** The new watermark. */
  readonly deliveredSeq: number;
  /** `true` if the filter excludes the whole run. Later changes of the run are ignored. */
  readonly isExcluded?: boolean;
  /** `true` if the bus accepted something. */
  readonly isAccepted?: boolean;
  readonly failure?: DeliveryFailure;
}

export interface DeliveryFailure {
  readonly message: string;
  /** Failed attempts of the event after `deliveredSeq`, with this one if it counts. */
  readonly attempts: number;
  /** The run is attempted again after this time. */
  readonly retryInMs: number;
  /** Set if the bus was unavailable: its consecutive failures, and how long all deliveries of the subscription wait. */
  readonly bus?: { readonly failures: number; readonly retryInMs: number };
  /** `true` if the event becomes a dead letter. */
  readonly isDead?: boolean;
}

/** An event that the bus refused too often. Its run waits behind it until it is redriven or dropped. */
export interface DeadLetter extends SubscriptionName {
  readonly runId: string;
  readonly runSeq: number;
  readonly deadAt: string;
  readonly attempts: number;
  readonly error: string;
}

export interface DeadLetterName extends SubscriptionName {
  readonly runId: string;
}

/**
 * Subscriptions, and how far each run was delivered to each of them. A follower of the change feed records which runs have
 * new events, and processes claim and deliver them. An append never touches these tables.
 */
export interface OutboxStore {
  /** Creates a subscription. Returns `null` if one with this name exists. `startsAt` is `now` for the store's time. */
  createSubscription(
    params: SubscriptionName & {
      readonly definition: SubscriptionDefinition;
      readonly startsAt: string | null;
    },
  ): Promise<Subscription | null>;
  /** Returns the subscription with the store's current time. */
  getSubscription(
    name: SubscriptionName,
  ): Promise<{ readonly now: string; readonly subscription: Subscription | null }>;
  /** Lists subscriptions by id, ascending. `limit` defaults to 1000. */
  listSubscriptions(params: {
    readonly tenantId: string;
    readonly afterId?: string;
    readonly limit?: number;
  }): Promise<Subscription[]>;
  /** Replaces the definition. Returns `null` if there is no such subscription. */
  changeSubscription(name: SubscriptionName, definition: SubscriptionDefinition): Promise<Subscription | null>;
  /** Pauses or resumes. A resumed subscription is attempted immediately. */
  pauseSubscription(name: SubscriptionName, isPaused: boolean): Promise<Subscription | null>;
  /** Delivers everything from `startsAt` again, and forgets dead letters. `now` is the store's time. */
  rewindSubscription(name: SubscriptionName, startsAt: string | null): Promise<Subscription | null>;
  /** Returns `false` if there was no such subscription. */
  removeSubscription(name: SubscriptionName): Promise<boolean>;
  subscriptionStatus(name: SubscriptionName): Promise<SubscriptionStatus | null>;

  /** Returns `true` if any tenant has a subscription. */
  hasSubscriptions(): Promise<boolean>;
  /** Records for every subscription of their tenants that these runs have new events. Safe to repeat. */
  recordChanges(changes: readonly RunChange[]): Promise<void>;
  /** Lists the runs of all subscriptions again. For a follower whose feed does not continue at its cursor. */
  refill(): Promise<void>;
  /** Lists about `limit` runs for subscriptions that are being filled. Returns `false` if there are none. */
  fillNext(params: { readonly limit: number }): Promise<boolean>;
  /**
   * Claims runs with new events for `holdMs`, at most `perSubscription` of each subscription, and one if its bus was
   * unavailable. Skips the subscriptions of `except` by number. `token` must be unique.
   */
  claimDeliveries(params: {
    readonly token: string;
    readonly holdMs: number;
    readonly perSubscription: number;
    readonly except?: readonly number[];
  }): Promise<readonly ClaimedDelivery[]>;
  /** Saves outcomes and releases the runs. Ignores runs that another process claimed meanwhile. */
  saveDeliveries(outcomes: readonly DeliveryOutcome[]): Promise<void>;
  /** Deletes deliveries of subscriptions that were removed or rewound, at most 10,000. Returns their number. */
  sweepDeliveries(): Promise<number>;

  /** Lists dead letters by subscription and run, ascending. `limit` defaults to 100. */
  listDeadLetters(params: {
    readonly tenantId: string;
    readonly subscriptionId?: string;
    readonly runId?: string;
    readonly after?: { readonly subscriptionId: string; readonly runId: string };
    readonly limit?: number;
  }): Promise<DeadLetter[]>;
  /** Attempts the event again, now. Returns `false` if the run has no dead letter. */
  redriveDeadLetter(name: DeadLetterName): Promise<boolean>;
  /** Skips the event, and continues with the next one. Returns `false` if the run has no dead letter. */
  dropDeadLetter(name: DeadLetterName): Promise<boolean>;
}
