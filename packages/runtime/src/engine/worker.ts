/**
 * A worker: claims due runs, drives each of them, and sends heartbeats (O1). It drives what the store says it holds: a claim
 * whose answer was lost is found again, and a run that was lost is dropped.
 */
import {
  LOG_FORMAT,
  omitUndefined,
  StopError,
  type FullStateStore,
  type HeldRun,
  type PlanRef,
} from "@runledger/contracts";
import type { RunEnd } from "../runs/run-end.js";
import { missingFor, plansToClaim } from "../runs/runnable.js";
import { meterOf } from "../telemetry/instruments.js";
import { logAlert, logFault } from "../telemetry/log-handlers.js";
import type { Logger } from "../telemetry/logger.js";
import type { Metrics } from "../telemetry/metrics.js";
import { processLogger } from "../telemetry/process-logger.js";
import { redactedLogger } from "../telemetry/redacted-logger.js";
import { PollLoop } from "../time/poll-loop.js";
import { tryOnce } from "../time/retry.js";
import { StoreClock } from "../time/store-clock.js";
import { realTimers, type Timers } from "../time/timers.js";
import type { CompiledWorkflow } from "../workflow/compiled-workflow.js";
import type { AnyWorkflow } from "../workflow/types.js";
import { adapterVersion } from "./adapter-version.js";
import { BudgetMetrics } from "./budget/budget-metrics.js";
import type { StateStoreOptions } from "./budget/budget-options.js";
import type { OwnedSpool } from "./budget/open-spool.js";
import { WriteBudget } from "./budget/write-budget.js";
import { newDecider as newCoreDecider, type NewDecider } from "./decider.js";
import type { EngineStatus, RunningEngine } from "./engine.js";
import type { Children, EngineDeps } from "./engine-deps.js";
import { EngineMetrics } from "./engine-metrics.js";
import { Isolation } from "./isolation.js";
import { EventsLost } from "./lost-events.js";
import { HandOver, releaseRun } from "./release-run.js";
import type { Alert, Fault, RunContext } from "./run-context.js";
import { RunDriver } from "./run-driver.js";
import { Runners, type RunnerOptions } from "./runners.js";
import { watchProcess } from "./step-process.js";

export type { Fault } from "./run-context.js";

export interface WorkerOptions extends RunnerOptions {
  /** The workflows whose runs it claims, in all versions that it should serve. */
  readonly workflows: readonly AnyWorkflow[];
  /** Maximum number of runs to drive at a time. Default 100. */
  readonly concurrency?: number;
  /** Claims only runs of these tenants. Default: runs of all tenants. */
  readonly tenants?: readonly string[];
  /** How long a silent worker keeps its runs. Default ten seconds. */
  readonly leaseMs?: number;
  /** How often to poll the queue. Default 100 ms. */
  readonly pollMs?: number;
  /** Events of a run between two checkpoints. Default 100. Fewer events make a resume faster and appends larger. */
  readonly checkpointInterval?: number;
  /** Latency budget of appends. Default: none; the worker waits for the store. */
  readonly stateStore?: StateStoreOptions;
  /** Receives faults. The worker retries a run that failed ten seconds later. Logs them by default. */
  readonly onFault?: (fault: Fault) => void;
  /** Receives alerts for operators. Logs them by default. */
  readonly onAlert?: (alert: Alert) => void;
  /** Collects the metrics of this worker. Default: those of the ledger. */
  readonly metrics?: Metrics;
}

/** A worker that claims and drives runs until it is stopped. */
export interface Worker extends AsyncDisposable {
  readonly id: string;
  /** Number of runs that it drives now. A waiting run is not driven. */
  readonly driving: number;
  /**
   * Stops claiming, waits for running steps and releases the runs. A second call does not wait: it hands the runs over to
   * other workers now. The worker does not wait either once its lease has expired because the store is unavailable.
   */
  stop(): Promise<void>;
}

export interface EngineWorkerOptions extends Omit<WorkerOptions, "workflows"> {
  readonly workflows: readonly CompiledWorkflow[];
  /** Receives log lines. Default: the logger of the process. */
  readonly logger?: Logger | undefined;
  /** The spool of `stateStore`. `null` if no event may fail open. */
  readonly spool?: OwnedSpool | null;
  /** Called when a run is finished, or (with `null`) parked. */
  readonly onSettled?: (runId: string, end: RunEnd | null) => void;
  /** Called when the worker stops claiming runs. */
  readonly onStopping?: () => void;
  /** Makes the driver of a claimed run. By default the worker drives the run itself. */
  readonly newDriver?: NewDriver;
  /** `true` if other processes work under the same id. Stopping this one then releases nothing. */
  readonly isShared?: boolean;
}

/** Drives one run that the worker holds. */
export type Driver = Pick<RunDriver, "held" | "end" | "isChild" | "setWakes" | "drain" | "abandon" | "drive"> & {
  /** Checks now that the run is still executed. Absent if the driver itself executes it. */
  checkNow?(): void;
};
/** `isClaimed` is `false` if another process claimed the run under the same id. */
export type NewDriver = (context: RunContext, deps: EngineDeps, held: HeldRun, isClaimed: boolean) => Driver;

const newRunDriver: NewDriver = (context, deps, held) => new RunDriver(context, deps, held);

const ADAPTER = adapterVersion("embedded");
/** Maximum number of runs per claim. */
const CLAIM = 20;
/** Delay before a run that failed is retried. */
const FAULT_PAUSE_MS = 10_000;
/** Delay before a run whose log has lost events is read again (F6). An operator may have restored them. */
const GAP_PAUSE_MS = 60_000;

export class EngineWorker implements RunningEngine {
  readonly id: string;
  readonly #store: FullStateStore;
  readonly #options: Required<
    Omit<
      EngineWorkerOptions,
      "workflows" | "tenants" | "metrics" | "logger" | "stateStore" | "spool" | keyof RunnerOptions
    >
  >;
  readonly #tenants: { readonly tenants?: readonly string[] };
  readonly #deps: EngineDeps;
  readonly #metrics: EngineMetrics;
  readonly #logger: Logger;
  readonly #budget: WriteBudget | undefined;
  readonly #clock: StoreClock;
  /** The workflows that it has (D7). */
  readonly #workflows: CompiledWorkflow[];
  readonly #customRunners: object;
  /** The plans whose runs it claims. */
  #plans: readonly PlanRef[];
  readonly #drivers = new Map<string, Driver>();
  /** Runs that are being released without having been parked or ended. */
  readonly #releasing = new Set<string>();
  readonly #heartbeats: PollLoop;
  readonly #claims: PollLoop;
  readonly #isolation: Isolation;
  readonly #over = new AbortController();
  readonly #unwatchProcess = watchProcess();
  /** When it last compared its runs with the store. `-Infinity` if it must do so now. */
  #lastReconciled = -Infinity;
  /** `true` if the end of a run may let another one start: the last claim met a limit, or had no room. */
  #endsMatter = true;
  #isStopping = false;
  /** When its lease expires, unless a heartbeat renews it. */
  #leasedUntil = -Infinity;
  #retired: Promise<void> | null = null;

  constructor(
    id: string,
    store: FullStateStore,
    options: EngineWorkerOptions,
    children: Children,
    timers: Timers = realTimers,
    newDecider: NewDecider = newCoreDecider,
  ) {
    this.id = id;
    this.#store = store;
    const { workflows, concurrency = 100, leaseMs = 10_000, pollMs = 100, checkpointInterval = 100 } = options;
    const runners = new Runners(options, timers);
    this.#logger = redactedLogger(() => options.logger ?? processLogger(), runners.redactor);
    const { onFault = logWorkerFault(this.#logger), onAlert = logAlert(this.#logger) } = options;
    const { onSettled = () => {}, onStopping = () => {}, newDriver = newRunDriver, isShared = false } = options;
    this.#workflows = [...workflows];
    this.#tenants = omitUndefined({ tenants: options.tenants });
    this.#customRunners = options.runners ?? {};
    this.#plans = plansToClaim(workflows, options.runners);
    const callbacks = { onFault, onAlert, onSettled, onStopping };
    this.#options = { concurrency, leaseMs, pollMs, checkpointInterval, ...callbacks, newDriver, isShared };
    const meter = meterOf(options.metrics);
    this.#metrics = new EngineMetrics(meter);
    const report = { alert: onAlert, fault: (error: unknown) => onFault({ error }), logger: this.#logger };
    const { stateStore: { writeLatencyBudgetMs: budgetMs } = {}, spool: owned = null } = options;
    if (budgetMs !== undefined)
      this.#budget = new WriteBudget({ budgetMs, owned, timers, ...report, metrics: new BudgetMetrics(meter, id) });
    this.#isolation = new Isolation({
      isAlone: (runId) => this.#others(runId).length === 0,
      drainOthers: (runId) => this.#others(runId).forEach((driver) => driver.drain()),
      onLeft: () => this.#notify(),
    });
    const isolation = this.#isolation;
    this.#deps = { workerId: id, runners, timers, children, newDecider, isolation };
    this.#clock = new StoreClock(timers);
    const loop = { timers, isDone: () => this.#isDone(), onFault: (error: unknown) => onFault({ error }) };
    this.#heartbeats = new PollLoop({ ...loop, everyMs: leaseMs / 3, round: () => this.#heartbeat() });
    this.#claims = new PollLoop({ ...loop, everyMs: pollMs, round: () => this.#round() });
    this.#reportMissing();
    this.#heartbeats.start();
    this.#claims.start();
  }

  /** Other workers may have what it lacks, so its runs stay in the queue. */
  #reportMissing(): void {
    for (const { plan } of this.#workflows) {
      const missing = missingFor(plan, { workflows: this.#workflows, runners: this.#customRunners });
      if (missing === null) continue;
      const message = `This worker does not claim runs of ${plan.planId} ${plan.planVersion}: ${missing}.`;
      this.#options.onFault({ error: new Error(message) });
    }
  }

  /** The store's time. */
  readonly now = (): number => this.#clock.now();

  get driving(): number {
    return this.#drivers.size;
  }

  drives(runId: string): boolean {
    return this.#drivers.has(runId);
  }

  has({ planId, planVersion }: PlanRef): boolean {
    return this.workflowOf({ planId, planVersion }) !== undefined;
  }

  /** Adds a workflow that it can run from now on. */
  add(workflow: CompiledWorkflow): void {
    if (this.has(workflow.plan)) return;
    this.#workflows.push(workflow);
    this.#plans = plansToClaim(this.#workflows, this.#customRunners);
    this.#heartbeats.notify();
    this.start();
  }

  /** Polls the queue now: there may be a run to claim. */
  start(): void {
    this.#claims.notify();
  }

  /** Polls the queue and the runs that it drives: some of them may have been woken. */
  wake(_runId?: string): void {
    this.#lastReconciled = -Infinity;
    this.start();
  }

  /** The driver reads the recorded cancel and aborts the running steps. */
  cancel(runId: string): void {
    this.wake(runId);
  }

  async status(runId: string): Promise<EngineStatus> {
    return this.drives(runId) ? "executing" : "absent";
  }

  async reconcile(): Promise<void> {
    this.#lastReconciled = -Infinity;
    await this.#tryOnce(() => this.#reconcile());
    for (const driver of this.#drivers.values()) driver.checkNow?.();
    this.start();
  }

  stop(): Promise<void> {
    if (this.#isStopping) this.#abandonAll();
    else this.#drainAll();
    this.#isStopping = true;
    this.#notify();
    this.#retired ??= this.#retire();
    return this.#retired;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  async #retire(): Promise<void> {
    await Promise.all([this.#heartbeats.finished(), this.#claims.finished()]);
    await this.#deps.runners.close();
    await this.#budget?.close();
    if (!this.#options.isShared) await this.#tryOnce(() => this.#store.leases.retireWorker(this.id)); // releases what it still owns
    this.#unwatchProcess();
  }

  async #heartbeat(): Promise<void> {
    const plans = this.#plans;
    const params = { workerId: this.id, ttlMs: this.#options.leaseMs, plans, logFormat: LOG_FORMAT, ...this.#tenants };
    const sentAt = this.#deps.timers.now();
    try {
      const { now } = await this.#store.leases.heartbeat(params);
      this.#clock.set(now);
      this.#leasedUntil = sentAt + this.#options.leaseMs;
    } finally {
      if (this.#isStopping && this.#deps.timers.now() >= this.#leasedUntil) this.#abandonAll();
    }
  }

  #drainAll(): void {
    for (const driver of this.#drivers.values()) driver.drain();
    this.#options.onStopping();
  }

  /** Stops without waiting. The runs are free when the lease expires. */
  #abandonAll(): void {
    for (const driver of this.#drivers.values()) driver.abandon();
    this.#over.abort();
  }

  async #round(): Promise<"again" | void> {
    await this.#budget?.reconcileLeft(this.#store); // before it claims their runs under a new epoch
    await this.#tryOnce(() => this.#reconcile());
    if (await this.#claim()) return "again";
  }

  /** Compares the runs that it drives with those that the store says it holds. */
  async #reconcile(): Promise<void> {
    const { timers } = this.#deps;
    const { leaseMs, pollMs } = this.#options;
    if (timers.now() < this.#lastReconciled + (this.#drivers.size === 0 ? leaseMs / 3 : pollMs)) return;
    const known = new Map(this.#drivers);
    this.#lastReconciled = timers.now(); // a run that is woken from here on is found by the next comparison
    const { now, runs } = await this.#store.queue.heldRuns(this.id).catch(this.#reconcileAgain);
    this.#clock.set(now);
    const held = new Map(runs.map((run) => [run.runId, run]));
    for (const [runId, driver] of known) {
      const run = held.get(runId);
      if (run?.epoch === driver.held.epoch) driver.setWakes(run.wakes);
      else driver.abandon(); // parked or ended meanwhile, or another worker's
    }
    for (const run of runs) if (known.get(run.runId)?.held.epoch !== run.epoch) this.#accept(run, false);
  }

  readonly #reconcileAgain = (error: unknown): never => {
    this.#lastReconciled = -Infinity;
    throw error;
  };

  /** Returns `true` if there may be more to claim. */
  async #claim(): Promise<boolean> {
    if (this.#isStopping) return false;
    const limit = this.#isolation.isActive ? 0 : this.#room(); // 0: only operators' actions
    const able = { plans: this.#plans, logFormat: LOG_FORMAT, ...this.#tenants };
    const { now, runs, limited = true } = await this.#store.queue.claimRuns({ workerId: this.id, ...able, limit });
    this.#clock.set(now);
    for (const run of runs) this.#accept(run, true);
    this.#endsMatter = limited || limit < CLAIM;
    return runs.length >= (limited ? 1 : Math.max(1, limit));
  }

  #room(): number {
    return Math.max(0, Math.min(CLAIM, this.#options.concurrency - this.#drivers.size));
  }

  /** Drivers of other runs that run steps. A run without a slot is only answered. */
  #others(runId: string): readonly Driver[] {
    return [...this.#drivers.values()].filter(({ held }) => held.runId !== runId && held.slot);
  }

  #accept(held: HeldRun, isClaimed: boolean): void {
    const { runId, epoch } = held;
    if (this.#releasing.has(runId)) return;
    if (this.#isolation.excludes(runId) && held.slot) return void this.#release(held, 0);
    if (this.#isStopping) return void this.#release(held, 0); // it was claimed before the worker was stopped
    const workflow = this.workflowOf(held);
    if (workflow === undefined) return void this.#release(held, FAULT_PAUSE_MS);
    this.#drivers.get(runId)?.abandon(); // its epoch is over
    const { redactor } = this.#deps.runners;
    const context = {
      runId,
      store: this.#store,
      workflow,
      epoch,
      executor: { adapterVersion: ADAPTER, engineRunRef: { engine: "embedded", workerId: this.id, epoch } },
      now: this.#clock.now,
      alert: this.#options.onAlert,
      reportFault: this.#options.onFault,
      checkpointInterval: this.#options.checkpointInterval,
      metrics: this.#metrics,
      logger: this.#logger,
      redactor,
      ...omitUndefined({ budget: this.#budget }),
    };
    const driver = this.#options.newDriver(context, this.#deps, held, isClaimed);
    this.#drivers.set(runId, driver);
    this.#metrics.driving(this.#drivers.size, this.id);
    void this.#drive(driver);
  }

  workflowOf({ planId, planVersion }: PlanRef): CompiledWorkflow | undefined {
    return this.#workflows.find(({ plan }) => plan.planId === planId && plan.planVersion === planVersion);
  }

  async #drive(driver: Driver): Promise<void> {
    const { runId } = driver.held;
    try {
      await driver.drive();
      this.#options.onSettled(runId, driver.end);
    } catch (error) {
      await this.#release(driver.held, this.#report(runId, error));
    } finally {
      if (this.#drivers.get(runId) === driver) this.#drivers.delete(runId);
      this.#isolation.recheck();
      if (driver.isChild) this.#lastReconciled = -Infinity; // its parent may be here
      this.#metrics.driving(this.#drivers.size, this.id);
      if (this.#isStopping || this.#endsMatter || driver.isChild || driver.end === null) this.#notify();
    }
  }

  /** Returns the time after which the run is tried again. */
  #report(runId: string, error: unknown): number {
    if (error instanceof HandOver) return 0;
    if (error instanceof EventsLost) {
      this.#options.onAlert({ code: "EVENTS_LOST", severity: "critical", runId, message: error.message });
      return 0;
    }
    if (error instanceof StopError && error.code === "LOG_GAP") {
      const message = `${error.message} The worker has released the run and executes nothing more of it until then.`;
      this.#options.onAlert({ code: "PROJECTOR_GAP_DETECTED", severity: "critical", runId, message });
      return GAP_PAUSE_MS;
    }
    this.#options.onFault({ runId, error });
    return FAULT_PAUSE_MS; // it may fail again
  }

  async #release(held: HeldRun, afterMs: number): Promise<void> {
    const { timers } = this.#deps;
    const wakeAt = new Date(this.#clock.now() + afterMs).toISOString();
    const params = { store: this.#store, timers, workerId: this.id, held, wakeAt, signal: this.#over.signal };
    this.#releasing.add(held.runId);
    await this.#tryOnce(() => releaseRun(params));
    this.#releasing.delete(held.runId);
    this.#notify();
  }

  #isDone(): boolean {
    return this.#isStopping && this.#drivers.size === 0 && this.#releasing.size === 0;
  }

  #notify(): void {
    this.#claims.notify();
    if (this.#isDone()) this.#heartbeats.notify();
  }

  /** Reports an error as a fault, except an unavailable store. Heartbeats continue in either case. */
  #tryOnce<T>(action: () => Promise<T>): Promise<T | undefined> {
    return tryOnce(action, (error) => this.#options.onFault({ error }));
  }
}

export function logWorkerFault(logger?: Logger): Required<WorkerOptions>["onFault"] {
  const log = logFault("worker", logger);
  return ({ error, ...ids }) => log(error, ids);
}
