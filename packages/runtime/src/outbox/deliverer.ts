/** Claims runs with new events, publishes them and saves how far they came. Processes share the work by their claims. */
import { newId, type ClaimedDelivery, type DeliveryOutcome, type FullStateStore } from "@runledger/contracts";
import type { FetchedTail } from "../feed/fetch-tails.js";
import { isUnavailable } from "../time/retry.js";
import type { Timers } from "../time/timers.js";
import type { OutboxAlert } from "./alerts.js";
import type { AtCrashPoint } from "./crash-points.js";
import { deliverRun, type Delivered } from "./deliver-run.js";
import { UnknownBusError } from "./event-bus.js";
import type { OpenBuses } from "./open-buses.js";
import type { OutboxMetrics } from "./outbox-metrics.js";
import { failureOf, outcomeOf } from "./outcomes.js";
import { readLogs, settledSeqs } from "./read-logs.js";
import { SavedOutcomes } from "./saved-outcomes.js";

export interface DelivererParts {
  readonly store: FullStateStore;
  readonly buses: OpenBuses;
  readonly timers: Timers;
  readonly metrics: OutboxMetrics;
  /** How long a claim lasts. */
  readonly holdMs: number;
  /** Time that one message may take. */
  readonly publishMs: number;
  readonly random: () => number;
  readonly at: AtCrashPoint;
  readonly alert: (alert: OutboxAlert) => void;
  readonly fault: (error: unknown) => void;
  /** Called when more runs may be claimable. */
  readonly onProgress: () => void;
}

/** Runs of one subscription that are claimed together. */
const PER_SUBSCRIPTION = 64;
/** Claimed runs of one subscription above which no more are claimed. */
const ENOUGH = 32;
/** Runs whose events are read and published together. */
const GROUP = 16;
/** Groups that are published at once. */
const LANES = 2;
/** Events of one run that are read together. */
const TURN = 50;
/** Delay before another process, or this one after a restart, finds the bus of a run. */
const UNKNOWN_BUS_MS = 1000;
/** Delay before this process looks again whether a subscription has a bus that it knows: its definition may be replaced. */
const LOOK_AGAIN_MS = 30_000;

type Log = FetchedTail | Error;

export class Deliverer {
  readonly #parts: DelivererParts;
  readonly #saved: SavedOutcomes;
  /** Claimed runs by subscription. `Infinity` if no more must be claimed. */
  readonly #held = new Map<number, number>();
  /** Subscriptions whose bus this process does not have, and when it looks again. */
  readonly #unknown = new Map<number, number>();
  /** Runs that this process has reported. */
  readonly #reported = new Set<string>();
  readonly #working = new Set<Promise<void>>();
  #isStopping = false;

  constructor(parts: DelivererParts) {
    this.#parts = parts;
    const { store, at, fault } = parts;
    const onSettled = (outcomes: readonly DeliveryOutcome[]): void => {
      for (const { number } of outcomes) this.#release(number);
      parts.onProgress();
    };
    this.#saved = new SavedOutcomes({ outbox: store.outbox, at, fault, onSettled });
  }

  /** Claims once and starts to publish. Returns `true` if it claimed something. */
  async claim(): Promise<boolean> {
    const { store, holdMs, timers, at } = this.#parts;
    const claimedAt = timers.now();
    const full = [...this.#held].filter(([, held]) => held >= ENOUGH).map(([number]) => number);
    const claimed = await store.outbox.claimDeliveries({
      token: newId("claim"),
      holdMs,
      perSubscription: PER_SUBSCRIPTION,
      except: [...full, ...this.#unknownAt(claimedAt)],
    });
    if (claimed.length === 0) return false;
    await at("claimed");
    for (const each of claimed) this.#hold(each);
    const working = this.#work(claimed, claimedAt).finally(() => this.#working.delete(working));
    this.#working.add(working);
    return true;
  }

  /** Starts no more messages, and resolves once the outcomes are saved. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    await Promise.all(this.#working);
    await this.#saved.settled();
  }

  /** A bus that was unavailable gets one run at a time. */
  #hold({ number, failures }: ClaimedDelivery): void {
    this.#held.set(number, failures > 0 ? Infinity : (this.#held.get(number) ?? 0) + 1);
    this.#parts.metrics.inFlight.record(this.#held.size);
  }

  #release(number: number): void {
    const held = this.#held.get(number) ?? 0;
    if (held > 1 && held < Infinity) this.#held.set(number, held - 1);
    else this.#held.delete(number);
    this.#parts.metrics.inFlight.record(this.#held.size);
  }

  async #work(claimed: readonly ClaimedDelivery[], claimedAt: number): Promise<void> {
    let next = 0;
    const lane = async (): Promise<void> => {
      while (next < claimed.length) await this.#workOn(claimed.slice(next, (next += GROUP)), claimedAt);
    };
    await Promise.all(Array.from({ length: LANES }, lane));
  }

  /** If the store is unavailable, the claims of the group end by themselves. */
  async #workOn(group: readonly ClaimedDelivery[], claimedAt: number): Promise<void> {
    const { store, at, fault } = this.#parts;
    try {
      const settled = await settledSeqs(store, group); // before the events: one that is stored in between must not be skipped
      const logs = await readLogs(store, group, TURN);
      await at("events-fetched");
      await Promise.all(
        group.map((claimed, index) => this.#deliver(claimed, logs[index]!, settled.get(claimed.runId) ?? 0, claimedAt)),
      );
    } catch (error) {
      if (!isUnavailable(error)) fault(error);
      for (const { number } of group) this.#release(number);
    }
  }

  async #deliver(claimed: ClaimedDelivery, log: Log, settledSeq: number, claimedAt: number): Promise<void> {
    try {
      const delivered = await this.#publish(claimed, log, settledSeq, claimedAt);
      if (delivered === null) return this.#release(claimed.number);
      this.#note(claimed, delivered);
      this.#saved.add(delivered.outcome);
    } catch (error) {
      if (!isUnavailable(error)) this.#parts.fault(error);
      this.#release(claimed.number);
    }
  }

  /** Returns `null` if the subscription was removed or rewound. */
  async #publish(claimed: ClaimedDelivery, log: Log, settledSeq: number, claimedAt: number): Promise<Delivered | null> {
    const { buses, random, metrics, timers, holdMs, publishMs, at } = this.#parts;
    const failed = (error: unknown, maxAttempts: number): Delivered => {
      const failure = failureOf({ claimed, error, maxAttempts, hasProgress: false, random });
      return { outcome: { ...outcomeOf(claimed, claimed.deliveredSeq), failure } };
    };
    try {
      return await buses.use(claimed, async (open) => {
        if (open === null) return null;
        const { maxAttempts } = open.subscription.definition;
        if (log instanceof Error) return { ...failed(log, maxAttempts), isUnreadable: true };
        return deliverRun({
          claimed,
          ...log,
          settledSeq,
          mayFill: !this.#parts.store.capabilities.contiguous,
          open,
          mayContinue: () => !this.#isStopping && timers.now() - claimedAt < holdMs - publishMs,
          publishMs,
          random,
          onPublished: (events) => (metrics.events.add(events), at("published")),
        });
      });
    } catch (error) {
      if (isUnavailable(error)) throw error;
      return error instanceof UnknownBusError ? this.#unknownBus(claimed, error) : failed(error, Infinity);
    }
  }

  #unknownAt(now: number): readonly number[] {
    for (const [number, lookAt] of this.#unknown) if (lookAt <= now) this.#unknown.delete(number);
    return [...this.#unknown.keys()];
  }

  #unknownBus(claimed: ClaimedDelivery, error: UnknownBusError): Delivered {
    this.#unknown.set(claimed.number, this.#parts.timers.now() + LOOK_AGAIN_MS);
    const failure = { message: error.message, attempts: claimed.attempts, retryInMs: UNKNOWN_BUS_MS };
    return { outcome: { ...outcomeOf(claimed, claimed.deliveredSeq), failure } };
  }

  #note(claimed: ClaimedDelivery, { outcome: { failure, deliveredSeq }, isUnreadable = false }: Delivered): void {
    const { metrics } = this.#parts;
    const { tenantId, subscriptionId, runId } = claimed;
    if (failure === undefined) return;
    metrics.failures.add(1);
    if (isUnreadable) this.#reportUnreadable(claimed, failure.message);
    if (failure.isDead !== true) return;
    metrics.deadLetters.add(1);
    const event = `event ${deliveredSeq + 1} of run ${runId}`;
    const message = `${event} is a dead letter of subscription ${subscriptionId} after ${failure.attempts} attempts: ${failure.message}`;
    this.#parts.alert({ code: "OUTBOX_DEAD_LETTER", severity: "warning", message, tenantId, runId });
  }

  #reportUnreadable({ tenantId, runId }: ClaimedDelivery, reason: string): void {
    if (this.#reported.has(runId)) return;
    this.#reported.add(runId);
    const message = `the events of run ${runId} cannot be read and are not delivered: ${reason}`;
    this.#parts.alert({ code: "OUTBOX_RUN_FAILED", severity: "critical", message, tenantId, runId });
  }
}
