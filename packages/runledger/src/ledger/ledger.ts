import { hostname } from "node:os";
import {
  LOG_FORMAT,
  StopError,
  type Authorization,
  type FullStateStore,
  type Json,
  type UnservedPlan,
} from "@runledger/contracts";
import type { Admission } from "@runledger/core";
import { environment } from "../config/environment.js";
import { childRuns } from "../engine/children.js";
import { realTimers, type Timers } from "../engine/engine-parts.js";
import type { Worker, WorkerOptions } from "../engine/worker.js";
import { Metrics } from "../metrics/metrics.js";
import { LedgerSchedules } from "../scheduler/ledger-schedules.js";
import { Scheduler, type SchedulerOptions } from "../scheduler/scheduler.js";
import { LedgerLimits, LedgerQueue } from "../queue/ledger-queue.js";
import { printAlert as printProjectorAlert } from "../projector/alerts.js";
import { Projector, type ProjectorOptions } from "../projector/projector.js";
import { EnvSecrets } from "../secrets/env-secrets.js";
import { compiledOf, type CompiledWorkflow } from "../workflow/compiled-workflow.js";
import { present } from "../workflow/present.js";
import { notesOf } from "../workflow/published-workflow.js";
import type { AnyWorkflow, InputOf, ResultOf, SignalsOf } from "../workflow/types.js";
import { AlertLog, type RecordedAlert } from "./alert-log.js";
import { EndedRuns } from "./ended-runs.js";
import { planFork, type ForkOptions, type ForkPlan } from "./fork-plan.js";
import { forkRun, previewOf, type ForkPreview } from "./fork-run.js";
import { patience, type Patience } from "./patience.js";
import { publishPlan } from "./publish-plan.js";
import { PublishedWorkflows } from "./published-workflows.js";
import { RunHandle } from "./run-handle.js";
import { RunList, type ListOptions } from "./run-list.js";
import { sendAction, sendSignal, type SendOptions, type Signalling } from "./signals.js";
import { randomId, startRun, type StartedRun, type StartOptions } from "./start-run.js";

type StartArguments<W> =
  undefined extends InputOf<W>
    ? [input?: InputOf<W>, options?: StartOptions]
    : [input: InputOf<W>, options?: StartOptions];

export interface LedgerOptions {
  /** Who may steer runs. Absent = everybody who has the ledger. */
  readonly authorization?: Authorization | undefined;
  readonly timers?: Timers | undefined;
  /** Where what runs here is counted. Default: its own. */
  readonly metrics?: Metrics | undefined;
  /** How long a store that is away is asked again before whoever called hears of it. Default 30 seconds. */
  readonly patienceMs?: number | undefined;
}

/** A store, and what can be done with runs on it. */
export class Ledger implements AsyncDisposable {
  readonly store: FullStateStore;
  readonly metrics: Metrics;
  readonly schedules: LedgerSchedules;
  readonly queue: LedgerQueue;
  readonly limits: LedgerLimits;
  readonly #close: () => Promise<void>;
  readonly #timers: Timers | undefined;
  readonly #workers = new Set<Worker>();
  readonly #alerts = new AlertLog();
  readonly #published = new Set<PublishedWorkflows>();
  readonly #schedulers = new Set<Scheduler>();
  readonly #projectors = new Set<Projector>();
  readonly #signalling: Signalling;
  readonly #patiently: Patience;
  readonly #endedRuns = new EndedRuns((runId) => [...this.#workers].some((worker) => worker.drives(runId)));

  constructor(store: FullStateStore, close: () => Promise<void>, options: LedgerOptions = {}) {
    this.store = store;
    this.metrics = options.metrics ?? new Metrics();
    this.schedules = new LedgerSchedules(store);
    this.queue = new LedgerQueue(store);
    this.limits = new LedgerLimits(store);
    this.#close = close;
    this.#timers = options.timers;
    this.#signalling = { store, authorization: options.authorization };
    this.#patiently = patience(options.patienceMs ?? 30_000);
  }

  /** The last alerts of what runs here, oldest first. */
  get alerts(): readonly RecordedAlert[] {
    return this.#alerts.all;
  }

  async start<W extends AnyWorkflow>(
    workflow: W,
    ...[input, options = {}]: StartArguments<W>
  ): Promise<RunHandle<ResultOf<W>, SignalsOf<W>>> {
    const { runId, created, admission } = await this.startCompiled(compiledOf(workflow), input, options);
    return this.#handle(compiledOf(workflow), runId, { isNew: created, ...(admission && { admission }) });
  }

  /** For callers who know a workflow by its plan only, and want to know whether the run is new. */
  async startCompiled(workflow: CompiledWorkflow, input: unknown, options: StartOptions): Promise<StartedRun> {
    const request = { requestId: randomId("req"), runId: randomId("run"), ...present(options) };
    const started = await this.#patiently(() => startRun(this.store, workflow, input, request));
    for (const worker of this.#workers) worker.nudge();
    return started;
  }

  /**
   * Starts a run at a step of another one: what came before it is kept, `from` and what depends on it run anew, perhaps
   * in another version, perhaps with another input (D7).
   */
  async fork<W extends AnyWorkflow>(
    run: string | { readonly id: string },
    options: ForkOptions<W>,
  ): Promise<RunHandle<ResultOf<W>, SignalsOf<W>>> {
    const { runId, created, fork } = await this.startFork(idOf(run), options);
    return this.#handle(fork.workflow ?? { signals: {} }, runId, { isNew: created });
  }

  /** For callers who want to know whether the run is new. */
  async startFork(runId: string, options: ForkOptions): Promise<StartedRun & { readonly fork: ForkPlan }> {
    const started = await forkRun(this.store, runId, options);
    for (const worker of this.#workers) worker.nudge();
    return started;
  }

  /** What `fork` would keep and run; nothing is written. */
  async previewFork(run: string | { readonly id: string }, options: ForkOptions): Promise<ForkPreview> {
    return previewOf(await planFork(this.store, idOf(run), options));
  }

  async get<W extends AnyWorkflow>(workflow: W, runId: string): Promise<RunHandle<ResultOf<W>, SignalsOf<W>>> {
    return this.#handle(compiledOf(workflow), runId);
  }

  #handle<Out, Sig>(
    { signals }: Pick<CompiledWorkflow, "signals">,
    runId: string,
    started: { readonly isNew?: boolean; readonly admission?: Admission } = {},
  ): RunHandle<Out, Sig> {
    const ports = { signalling: this.#signalling, endedRuns: this.#endedRuns, patiently: this.#patiently };
    return new RunHandle(ports, runId, { schemas: signals, ...started });
  }

  /** By id alone nothing is known of the workflow's types. */
  async signal(runId: string, name: string, payload: Json, options?: SendOptions): Promise<void> {
    const once = { signalId: randomId("sig"), ...present(options ?? {}) };
    await this.#patiently(() => sendSignal(this.#signalling, runId, name, payload, once));
    for (const worker of this.#workers) worker.nudgeRuns();
  }

  async act(runId: string, action: string, options?: SendOptions & { readonly stepId?: string }): Promise<void> {
    const once = { signalId: randomId("sig"), ...present(options ?? {}) };
    await this.#patiently(() => sendAction(this.#signalling, runId, action, once));
    for (const worker of this.#workers) worker.nudgeRuns();
  }

  async worker(
    options: Omit<WorkerOptions, "workflows"> & {
      readonly workflows: readonly AnyWorkflow[];
      /** True = runs workflows that are published over HTTP, too, as far as `allowPublished` lets them. Default false. */
      readonly published?: boolean;
    },
  ): Promise<Worker> {
    if (!this.store.capabilities.contiguous) throw leavesGaps();
    const { plansOf, printAlert, Worker } = await import("../engine/worker.js"); // who only looks at runs needs no engine
    const workflows = options.workflows.map(compiledOf);
    for (const one of workflows) await publishPlan(this.store, one.plan, notesOf(one)); // D7; of two versions, the later one is the newer
    const variables = environment();
    const id = randomId(`worker-${hostname()}-${process.pid}`);
    const able = { plans: plansOf(workflows), logFormat: LOG_FORMAT };
    await this.store.leases.heartbeat({ workerId: id, ttlMs: options.leaseMs ?? 10_000, ...able });
    const worker = new Worker(
      id,
      this.store,
      {
        environment: variables,
        secrets: new EnvSecrets(variables),
        metrics: this.metrics,
        ...options,
        workflows,
        onAlert: this.#alerts.hearing(options.onAlert ?? printAlert),
      },
      childRuns(this.store, workflows),
      this.#timers,
    );
    worker.onDriven = (runId, end) => this.#endedRuns.driven(runId, end);
    this.#workers.add(worker);
    if (options.published === true) this.#followPublished(worker, workflows, options.onFault);
    return worker;
  }

  /** Something was published: workers of this ledger that run such workflows need not wait until they look. */
  lookForPublished(): void {
    for (const published of this.#published) published.nudge();
  }

  #followPublished(worker: Worker, known: CompiledWorkflow[], onFault: WorkerOptions["onFault"]): void {
    const published = new PublishedWorkflows(this.store, this.#timers ?? realTimers, {
      has: (plan) => worker.has(plan),
      take: (workflow) => {
        known.push(workflow); // as a child, too
        worker.add(workflow);
      },
      onError: (error) => onFault?.({ error }),
    });
    this.#published.add(published);
    worker.onStopping = () => {
      published.stop();
      this.#published.delete(published);
    };
  }

  /** Runs, newest first, by what they are. What was recorded before the call is among them. */
  list(options: ListOptions = {}): RunList {
    return new RunList(this.store, options, this.#projectors.size === 0);
  }

  /** Keeps what readers see, snapshots and lists, up to the log until it is stopped. Any number share the work. */
  projector(options: Omit<ProjectorOptions, "metrics" | "timers"> = {}): Projector {
    const timers = this.#timers === undefined ? {} : { timers: this.#timers };
    const onAlert = this.#alerts.hearing(options.onAlert ?? printProjectorAlert);
    const projector = new Projector(this.store, { ...options, ...timers, onAlert, metrics: this.metrics });
    this.#projectors.add(projector);
    return projector;
  }

  /** Versions of workflows, and log formats, that open runs need and no live worker has (D7). */
  unserved(): Promise<readonly UnservedPlan[]> {
    return this.store.plans.listUnserved();
  }

  /** Starts runs when their schedule says so, until it is stopped or the ledger closed. Any number may share a store. */
  scheduler(options: Omit<SchedulerOptions, "timers" | "onFired"> = {}): Scheduler {
    const onFired = (): void => this.#workers.forEach((worker) => worker.nudge());
    const scheduler = new Scheduler(this.store, { ...options, onFired, timers: this.#timers });
    this.#schedulers.add(scheduler);
    scheduler.start();
    return scheduler;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#schedulers].map((scheduler) => scheduler.stop()));
    await Promise.all([...this.#workers].map((worker) => worker.stop()));
    await Promise.all([...this.#projectors].map((projector) => projector.stop()));
    await this.store.close();
    await this.#close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

function idOf(run: string | { readonly id: string }): string {
  return typeof run === "string" ? run : run.id;
}

/** P10: what it has folded must be all there is. */
function leavesGaps(): StopError {
  const message =
    "This store leaves gaps in the numbers of events, and the engine needs them all. Run workers on another.";
  return new StopError("STORE_UNSUITABLE", message);
}
