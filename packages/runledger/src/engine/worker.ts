/**
 * A worker: claims runs that are due, drives each, and says that it lives (O1). What the store says it holds is what it
 * drives: a claim that was not answered is found again, and a run that was lost is dropped.
 */
import {
  LOG_FORMAT,
  RetryError,
  StopError,
  type FullStateStore,
  type HeldRun,
  type PlanRef,
} from "@runledger/contracts";
import type { CompiledWorkflow } from "../workflow/compiled-workflow.js";
import type { Children, EngineParts } from "./engine-parts.js";
import { newDecider as newCoreDecider, type NewDecider } from "./foresight.js";
import { EngineMetrics } from "./engine-metrics.js";
import { giveBack } from "./give-back.js";
import { RunDriver } from "./run-driver.js";
import type { RunEnd } from "./run-end.js";
import type { Alert } from "./run-facts.js";
import { Runners, type RunnerOptions } from "./runners.js";
import { StoreClock } from "./store-clock.js";
import { Metrics } from "../metrics/metrics.js";
import { Bell, realTimers, type Timers } from "../time/timers.js";

/** Something that must not happen, and what it concerns. The worker goes on. */
export interface Fault {
  /** Absent = the worker itself. */
  readonly runId?: string;
  readonly error: unknown;
}

export interface WorkerOptions extends RunnerOptions {
  readonly workflows: readonly CompiledWorkflow[];
  /** Runs that are driven at a time. Default 100. */
  readonly concurrency?: number;
  /** How long a worker that says nothing keeps its runs. Default ten seconds. */
  readonly leaseMs?: number;
  /** How often the queue is asked. Default 100 ms. */
  readonly pollMs?: number;
  /** Hears of faults; a run that had one is tried again ten seconds later. Default: prints them. */
  readonly onFault?: (fault: Fault) => void;
  /** Hears of what an operator should look at. Default: prints it. */
  readonly onAlert?: (alert: Alert) => void;
  /** Where it counts. Default: nowhere that anybody looks. */
  readonly metrics?: Metrics;
}

const CLAIM = 20;
/** Before a run that had a fault is tried again. */
const FAULT_PAUSE_MS = 10_000;

export class Worker implements AsyncDisposable {
  readonly id: string;
  /** Hears of every run that this worker has driven to where it waits (null), or to its end. */
  onDriven: (runId: string, end: RunEnd | null) => void = () => {};
  /** Told when it begins nothing more. */
  onStopping: () => void = () => {};
  readonly #store: FullStateStore;
  readonly #options: Required<Omit<WorkerOptions, "workflows" | keyof RunnerOptions>>;
  readonly #parts: EngineParts;
  readonly #metrics: EngineMetrics;
  readonly #clock: StoreClock;
  /** What it can run (D7). */
  readonly #workflows: CompiledWorkflow[];
  readonly #drivers = new Map<string, RunDriver>();
  /** Runs that are being given back without having been driven to where they rest. */
  readonly #returning = new Set<string>();
  readonly #bells: { readonly heartbeat: Bell; readonly round: Bell };
  readonly #loops: Promise<unknown>;
  readonly #over = new AbortController();
  /** When it last compared what it drives with what the store says; -Infinity = it is to do so now. */
  #lastLook = -Infinity;
  /** The end of a run may let another one begin: so the last claim said, or it had no room for more. */
  #endsMatter = true;
  #stopping = false;
  #retired: Promise<void> | null = null;

  constructor(
    id: string,
    store: FullStateStore,
    options: WorkerOptions,
    children: Children,
    timers: Timers = realTimers,
    newDecider: NewDecider = newCoreDecider,
  ) {
    this.id = id;
    this.#store = store;
    const { workflows, concurrency = 100, leaseMs = 10_000, pollMs = 100 } = options;
    const { onFault = printFault, onAlert = printAlert, metrics = new Metrics() } = options;
    this.#workflows = [...workflows];
    this.#options = { concurrency, leaseMs, pollMs, onFault, onAlert, metrics };
    this.#metrics = new EngineMetrics(metrics);
    this.#parts = { workerId: id, runners: new Runners(options, timers), timers, children, newDecider };
    this.#clock = new StoreClock(timers);
    this.#bells = { heartbeat: new Bell(timers), round: new Bell(timers) };
    this.#loops = Promise.all([this.#heartbeats(), this.#rounds()]);
  }

  /** How many runs it drives. One that waits is not among them. */
  get driving(): number {
    return this.#drivers.size;
  }

  drives(runId: string): boolean {
    return this.#drivers.has(runId);
  }

  has({ planId, planVersion }: PlanRef): boolean {
    return this.#workflowOf({ planId, planVersion }) !== undefined;
  }

  /** Runs this one, too, from now on. */
  add(workflow: CompiledWorkflow): void {
    if (this.has(workflow.plan)) return;
    this.#workflows.push(workflow);
    this.#bells.heartbeat.ring();
    this.nudge();
  }

  /** There may be something to claim: ask at once. */
  nudge(): void {
    this.#bells.round.ring();
  }

  /** Runs that it drives may have been woken, too. */
  nudgeRuns(): void {
    this.#lastLook = -Infinity;
    this.nudge();
  }

  /** Begins nothing more, waits for running steps and gives the runs back; called again, hands over at once. */
  stop(): Promise<void> {
    for (const driver of this.#drivers.values()) {
      if (this.#stopping) driver.abandon();
      else driver.drain();
    }
    if (this.#stopping) this.#over.abort();
    else this.onStopping();
    this.#stopping = true;
    this.#ring();
    this.#retired ??= this.#retire();
    return this.#retired;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  async #retire(): Promise<void> {
    await this.#loops;
    await this.#parts.runners.close();
    await this.#unlessAway(() => this.#store.leases.retireWorker(this.id)); // what it still owns is free
  }

  async #heartbeats(): Promise<void> {
    const { leaseMs } = this.#options;
    while (!this.#isDone()) {
      const said = { workerId: this.id, ttlMs: leaseMs, plans: plansOf(this.#workflows), logFormat: LOG_FORMAT };
      const beat = await this.#unlessAway(() => this.#store.leases.heartbeat(said));
      if (beat !== undefined) this.#clock.set(beat.now);
      if (!this.#isDone()) await this.#bells.heartbeat.rest(leaseMs / 3);
    }
  }

  async #rounds(): Promise<void> {
    while (!this.#isDone()) {
      await this.#unlessAway(() => this.#look());
      const more = await this.#unlessAway(() => this.#claim());
      if (more !== true && !this.#isDone()) await this.#bells.round.rest(this.#options.pollMs);
    }
  }

  /** Compares what it drives with what the store says it holds. */
  async #look(): Promise<void> {
    const { timers } = this.#parts;
    const { leaseMs, pollMs } = this.#options;
    if (timers.now() < this.#lastLook + (this.#drivers.size === 0 ? leaseMs / 3 : pollMs)) return;
    const asked = new Map(this.#drivers);
    this.#lastLook = timers.now(); // whoever wakes a run from here on is looked for again
    const { now, runs } = await this.#store.queue.heldRuns(this.id).catch(this.#lookAgain);
    this.#clock.set(now);
    const held = new Map(runs.map((run) => [run.runId, run]));
    for (const [runId, driver] of asked) {
      const run = held.get(runId);
      if (run?.epoch === driver.held.epoch) driver.woken(run.wakes);
      else driver.abandon(); // parked or ended meanwhile, or somebody else's
    }
    for (const run of runs) if (asked.get(run.runId)?.held.epoch !== run.epoch) this.#take(run);
  }

  readonly #lookAgain = (error: unknown): never => {
    this.#lastLook = -Infinity;
    throw error;
  };

  /** True = there may be more. */
  async #claim(): Promise<boolean> {
    if (this.#stopping) return false;
    const limit = Math.max(0, Math.min(CLAIM, this.#options.concurrency - this.#drivers.size)); // 0: operators are answered
    const able = { plans: plansOf(this.#workflows), logFormat: LOG_FORMAT };
    const { now, runs, limited = true } = await this.#store.queue.claimRuns({ workerId: this.id, ...able, limit });
    this.#clock.set(now);
    for (const run of runs) this.#take(run);
    this.#endsMatter = limited || limit < CLAIM;
    return runs.length >= (limited ? 1 : Math.max(1, limit));
  }

  #take(held: HeldRun): void {
    const { runId, epoch } = held;
    if (this.#returning.has(runId)) return;
    if (this.#stopping) return void this.#giveBack(held, 0); // it was claimed before anybody said so
    const workflow = this.#workflowOf(held);
    if (workflow === undefined) return void this.#giveBack(held, FAULT_PAUSE_MS);
    this.#drivers.get(runId)?.abandon(); // of an epoch that is over
    const { redactor } = this.#parts.runners;
    const facts = {
      runId,
      store: this.#store,
      workflow,
      epoch,
      now: this.#clock.now,
      alert: this.#options.onAlert,
      metrics: this.#metrics,
      redactor,
    };
    const driver = new RunDriver(facts, this.#parts, held);
    this.#drivers.set(runId, driver);
    this.#metrics.driving(this.#drivers.size, this.id);
    void this.#drive(driver);
  }

  #workflowOf({ planId, planVersion }: PlanRef): CompiledWorkflow | undefined {
    return this.#workflows.find(({ plan }) => plan.planId === planId && plan.planVersion === planVersion);
  }

  async #drive(driver: RunDriver): Promise<void> {
    const { runId } = driver.held;
    try {
      await driver.drive();
      this.onDriven(runId, driver.end);
    } catch (error) {
      this.#options.onFault({ runId, error });
      await this.#giveBack(driver.held, FAULT_PAUSE_MS); // what failed here may fail again
    } finally {
      if (this.#drivers.get(runId) === driver) this.#drivers.delete(runId);
      if (driver.isChild) this.#lastLook = -Infinity; // its parent may be here
      this.#metrics.driving(this.#drivers.size, this.id);
      if (this.#stopping || this.#endsMatter || driver.isChild || driver.end === null) this.#ring();
    }
  }

  async #giveBack(held: HeldRun, afterMs: number): Promise<void> {
    const { timers } = this.#parts;
    const wakeAt = new Date(this.#clock.now() + afterMs).toISOString();
    const params = { store: this.#store, timers, workerId: this.id, held, wakeAt, signal: this.#over.signal };
    this.#returning.add(held.runId);
    await this.#unlessAway(() => giveBack(params));
    this.#returning.delete(held.runId);
    this.#ring();
  }

  #isDone(): boolean {
    return this.#stopping && this.#drivers.size === 0 && this.#returning.size === 0;
  }

  #ring(): void {
    this.#bells.round.ring();
    if (this.#isDone()) this.#bells.heartbeat.ring();
  }

  /** A store that is away comes back; anything else is a fault, and no reason to stop saying that this worker lives. */
  async #unlessAway<T>(action: () => Promise<T>): Promise<T | undefined> {
    try {
      return await action();
    } catch (error) {
      const isClosed = error instanceof StopError && error.code === "STORE_CLOSED";
      if (!(error instanceof RetryError) && !isClosed) this.#options.onFault({ error });
      return undefined;
    }
  }
}

export function plansOf(workflows: readonly CompiledWorkflow[]): readonly PlanRef[] {
  return workflows.map(({ plan: { planId, planVersion } }) => ({ planId, planVersion }));
}

function printFault({ runId, error }: Fault): void {
  console.error(runId === undefined ? "A worker met a fault:" : `Run ${runId} met a fault:`, error);
}

export function printAlert({ code, message }: Alert): void {
  console.error(`${code} ${message}`);
}
