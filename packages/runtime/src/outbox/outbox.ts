/**
 * Publishes recorded events to the buses of subscriptions: per run in order, at least once. Any number of processes share
 * the work. One follows the change feed and records which runs have new events; all claim these runs and publish them.
 */
import { DEFAULT_TENANT, newId, type FullStateStore, type ISecretsProvider } from "@runledger/contracts";
import { meterOf } from "../telemetry/instruments.js";
import { logAlert, logFault } from "../telemetry/log-handlers.js";
import type { Metrics } from "../telemetry/metrics.js";
import { PollLoop } from "../time/poll-loop.js";
import { tryOnce } from "../time/retry.js";
import { realTimers, type Timers } from "../time/timers.js";
import { unrecorded, type OutboxAlert } from "./alerts.js";
import { busFactories, type BusOptions } from "./bus-factories.js";
import type { AtCrashPoint } from "./crash-points.js";
import { Deliverer } from "./deliverer.js";
import { FeedRecorder } from "./feed-recorder.js";
import { OpenBuses } from "./open-buses.js";
import { outboxMetrics } from "./outbox-metrics.js";

export interface OutboxOptions extends BusOptions {
  /** How often to poll. Default 100 ms. */
  readonly pollMs?: number;
  /** How long a silent process keeps the runs that it is publishing. Default 30 seconds. */
  readonly holdMs?: number;
  /** Time that a bus may take to accept a message. Default 10 seconds. */
  readonly publishTimeoutMs?: number;
  /** How long a silent process keeps following the feed. Default three seconds. */
  readonly memberTtlMs?: number;
  /** Receives alerts for operators. Logs them by default. */
  readonly onAlert?: (alert: OutboxAlert) => void;
  /** Receives faults; the outbox continues. Logs them by default. */
  readonly onFault?: (error: unknown) => void;
}

interface OutboxParts {
  readonly secrets: ISecretsProvider;
  readonly metrics?: Metrics;
  readonly timers?: Timers;
  readonly at?: AtCrashPoint;
  readonly random?: () => number;
}

const GROUP = "outbox";
const SAVE_MS = 2000;
const LOOK_MS = 1000;
const SWEEP_MS = 30_000;
/** Runs that a call lists for a new subscription. */
const FILL = 1000;

export class Outbox implements AsyncDisposable {
  readonly id = newId(`outbox-${process.pid}`);
  readonly #store: FullStateStore;
  readonly #timers: Timers;
  readonly #memberTtlMs: number;
  readonly #fault: (error: unknown) => void;
  readonly #recorder: FeedRecorder;
  readonly #buses: OpenBuses;
  readonly #deliverer: Deliverer;
  readonly #recording: PollLoop;
  readonly #delivering: PollLoop;
  readonly #last = { attended: -Infinity, saved: -Infinity, looked: -Infinity, swept: -Infinity };
  #isNeeded = false;
  #isRecorder = false;
  #isStopping = false;
  #stopped: Promise<void> | null = null;

  constructor(store: FullStateStore, options: OutboxOptions, parts: OutboxParts) {
    const { pollMs = 100, holdMs = 30_000, publishTimeoutMs: publishMs = 10_000, memberTtlMs = 3000 } = options;
    const { onAlert: alert = logAlert(), onFault: fault = logFault("outbox") } = options;
    const { secrets, metrics, timers = realTimers, at = () => {}, random = Math.random } = parts;
    this.#store = store;
    this.#timers = timers;
    this.#memberTtlMs = memberTtlMs;
    this.#fault = fault;
    const outbox = outboxMetrics(meterOf(metrics));
    this.#recorder = new FeedRecorder(store, at, async (runId, error) => {
      const [head] = await store.fetchHeads([runId]);
      alert(unrecorded(runId, head?.tenantId ?? DEFAULT_TENANT, error));
    });
    this.#buses = new OpenBuses(store.outbox, busFactories(options, store), secrets);
    const onProgress = (): void => this.#delivering.notify();
    const shared = { store, buses: this.#buses, timers, metrics: outbox, random, at, alert, fault };
    this.#deliverer = new Deliverer({ ...shared, holdMs: Math.max(holdMs, 2 * publishMs), publishMs, onProgress });
    const loop = { timers, everyMs: pollMs, isDone: () => this.#isStopping, onFault: fault };
    this.#recording = new PollLoop({ ...loop, round: () => this.#record() }).start();
    this.#delivering = new PollLoop({ ...loop, round: () => this.#deliver() }).start();
  }

  /** Finishes the messages that are being published, and releases the work to other processes. */
  stop(): Promise<void> {
    this.#isStopping = true;
    this.#recording.notify();
    this.#delivering.notify();
    this.#stopped ??= this.#end();
    return this.#stopped;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  async #end(): Promise<void> {
    await Promise.all([this.#recording.finished(), this.#delivering.finished()]);
    await this.#deliverer.stop();
    await tryOnce(() => this.#recorder.save(), this.#fault);
    await tryOnce(() => this.#store.feed.leave({ group: GROUP, member: this.id }), this.#fault);
    await this.#buses.close();
  }

  /** Returns `again` if more work is ready. */
  async #record(): Promise<"again" | void> {
    if (this.#isDue("attended", this.#memberTtlMs / 3)) await this.#attend();
    if (this.#isDue("looked", LOOK_MS)) await this.#look();
    if (!this.#isNeeded) return;
    const isFilling = await this.#store.outbox.fillNext({ limit: FILL });
    if (!this.#isRecorder) return isFilling ? "again" : undefined;
    const hasMore = await this.#recorder.turn();
    this.#delivering.notify();
    if (this.#isDue("saved", SAVE_MS)) await this.#recorder.save();
    if (this.#isDue("swept", SWEEP_MS)) await this.#store.outbox.sweepDeliveries();
    if (hasMore || isFilling) return "again";
  }

  async #deliver(): Promise<"again" | void> {
    if (this.#isNeeded && (await this.#deliverer.claim())) return "again";
  }

  /** The first live member follows the feed. */
  async #attend(): Promise<void> {
    const members = await this.#store.feed.attend({ group: GROUP, member: this.id, ttlMs: this.#memberTtlMs });
    this.#isRecorder = members[0] === this.id;
    if (!this.#isRecorder && this.#recorder.isFollowing) {
      await this.#recorder.save();
      this.#recorder.drop();
    }
  }

  async #look(): Promise<void> {
    this.#isNeeded = await this.#store.outbox.hasSubscriptions();
    if (!this.#isNeeded && this.#isRecorder) await this.#recorder.remove();
  }

  #isDue(what: "attended" | "saved" | "looked" | "swept", everyMs: number): boolean {
    const now = this.#timers.now();
    if (now < this.#last[what] + everyMs) return false;
    this.#last[what] = now;
    return true;
  }
}
