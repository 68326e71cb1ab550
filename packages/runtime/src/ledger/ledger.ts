import { hostname } from "node:os";
import {
  LOG_FORMAT,
  newId,
  isVisibleTo,
  omitUndefined,
  RunNotFoundError,
  RetryError,
  type Authorization,
  type FullStateStore,
  type ISecretsProvider,
  type Json,
  type RecordedAlert,
  type UnservedPlan,
  type PublishedPlan,
} from "@runledger/contracts";
import type { ObservableResult } from "@opentelemetry/api";
import type { Action, Admission } from "@runledger/core";
import type { AlertLog } from "../alerts/alert-log.js";
import type { AlertOptions } from "../alerts/alert-webhook.js";
import { openAlerts } from "../alerts/open-alerts.js";
import { environment, moveSecrets } from "../config/environment.js";
import { childRuns } from "../engine/children.js";
import { embeddedEngine, type Engine, type RunningEngine, type Worker, type WorkerOptions } from "../engine/engine.js";
import type { EncryptionSettings } from "../encryption/resolve-encryption.js";
import { LedgerErasure } from "../erasure/ledger-erasure.js";
import type { OutboxAlert } from "../outbox/alerts.js";
import { LedgerSubscriptions } from "../outbox/ledger-subscriptions.js";
import { Outbox, type OutboxOptions } from "../outbox/outbox.js";
import { LedgerPartitions } from "../partitions/ledger-partitions.js";
import type { Alert } from "../projector/alerts.js";
import { catchUp } from "../projector/catch-up.js";
import { LagMonitor } from "../projector/lag-monitor.js";
import { logProjectorFault, Projector, type ProjectorOptions } from "../projector/projector.js";
import { LedgerLimits, LedgerQueue } from "../queue/ledger-queue.js";
import { Cleaner, type CleanerOptions } from "../retention/cleaner.js";
import { LedgerRetention } from "../retention/ledger-retention.js";
import { forgetWorkers } from "../runs/admission.js";
import { directStartsOf } from "../runs/direct-starts.js";
import { LedgerDatasets } from "../datasets/ledger-datasets.js";
import { planFork, type ForkOptions, type ForkPlan } from "../runs/fork-plan.js";
import { forkRun, previewOf, type ForkPreview } from "../runs/fork-run.js";
import { publishPlan } from "../runs/publish-plan.js";
import { PublishedWorkflows } from "../runs/published-workflows.js";
import { plansToClaim } from "../runs/runnable.js";
import { RunWaiters } from "../runs/run-waiters.js";
import { denialOf, recordDenial, sendAction, sendSignal, type SendOptions, type Signalling } from "../runs/signals.js";
import { startWith, type PositionalStartArguments, type StartArguments } from "../runs/start-arguments.js";
import { startRun, type StartedRun, type StartOptions } from "../runs/start-run.js";
import { LedgerSchedules } from "../scheduler/ledger-schedules.js";
import {
  logSchedulerFault,
  scheduleFailed,
  Scheduler,
  type SchedulerFault,
  type SchedulerOptions,
} from "../scheduler/scheduler.js";
import { auditedSecrets } from "../secrets/audited-secrets.js";
import { EnvSecrets } from "../secrets/env-secrets.js";
import { meterOf } from "../telemetry/instruments.js";
import { logAlert, logFault } from "../telemetry/log-handlers.js";
import type { Logger } from "../telemetry/logger.js";
import type { Metrics } from "../telemetry/metrics.js";
import { processLogger } from "../telemetry/process-logger.js";
import { retryFor, type Retry } from "../time/retry.js";
import { realTimers, type Timers } from "../time/timers.js";
import type { TriggerAlert } from "../triggers/alerts.js";
import { DATASET, datasetSource } from "../triggers/dataset/dataset-source.js";
import { Consumers, type ConsumerOptions } from "../triggers/consumers.js";
import { workflowFinder, type FindWorkflow } from "../triggers/find-workflow.js";
import { LedgerTriggers } from "../triggers/ledger-triggers.js";
import { compiledOf, type CompiledWorkflow } from "../workflow/compiled-workflow.js";
import type { AnyWorkflow, ResultOf, SignalsOf } from "../workflow/types.js";
import { notesOf } from "../yaml/published-workflow.js";
import { setInternals } from "./internals.js";
import { checkEngineOptions, checkWorkerOptions } from "./known-options.js";
import { missingPort, requirePort } from "./missing-ports.js";
import { RunHandle } from "./run-handle.js";
import { RunList, type ListOptions } from "./run-list.js";
import { workerParts } from "./worker-parts.js";

export interface LedgerOptions {
  /** Decides who may send signals and actions. If absent, every holder of the ledger may. */
  readonly authorization?: Authorization | undefined;
  /**
   * Executes the runs of this ledger's workers. On a store without a queue, such as `snowflake://`, it also starts them.
   * Default: the workers' own processes.
   */
  readonly engine?: Engine | undefined;
  /** Clock and timers. Tests replace them. */
  readonly timers?: Timers | undefined;
  /** Collects metrics, from `openMetrics()`. Default: the OpenTelemetry SDK that the process has registered, if any. */
  readonly metrics?: Metrics | undefined;
  /** Receives log lines, such as a logger of pino. Default: lines of JSON on standard error, warnings and errors only. */
  readonly logger?: Logger | undefined;
  /** How long to retry a call while the store is unavailable, before it fails. Default 30 seconds. */
  readonly retryForMs?: number | undefined;
  /** Encrypts payloads before they reach the store. Default: RUNLEDGER_ENCRYPTION_KEYS or …_KEYS_FILE, else nothing is encrypted. */
  readonly encryption?: EncryptionSettings | undefined;
  /**
   * Where steps write artifacts: `store:`, a folder such as `file:./artifacts`, or a bucket such as `s3://bucket/prefix`, `gs://…`
   * or `azure://…`. Logs stay in the store. Default: RUNLEDGER_ARTIFACTS, else `store:`.
   */
  readonly artifacts?: string | undefined;
  /** Sends alerts to a webhook. Default: they are logged, counted and shown by servers on the same store. */
  readonly alerts?: AlertOptions | undefined;
}

export interface LedgerWorkerOptions extends WorkerOptions {
  /** Also runs workflows that are published over HTTP, within the rights of `allowPublished`. Default `false`. */
  readonly published?: boolean;
  /** Executes the runs. Default: the engine of the ledger. */
  readonly engine?: Engine;
}

export interface LedgerOutboxOptions extends OutboxOptions {
  /** Resolves signing keys. Default: environment variables that start with `RUNLEDGER_SECRET_`. */
  readonly secrets?: ISecretsProvider;
}

export interface LedgerConsumerOptions extends ConsumerOptions {
  /** Resolves the keys of webhooks. Default: environment variables that start with `RUNLEDGER_SECRET_`. */
  readonly secrets?: ISecretsProvider;
}

/** A store, and the operations on its runs. */
export class Ledger implements AsyncDisposable {
  /** The store, for readers of the log. */
  readonly store: FullStateStore;
  /** The metrics that were passed to `connect`. */
  readonly metrics: Metrics | undefined;
  /** Creates, changes and backfills schedules. */
  readonly schedules: LedgerSchedules;
  /** Creates and steers subscriptions to events, which an outbox delivers. */
  readonly subscriptions: LedgerSubscriptions;
  /** Creates and steers triggers, which start runs for events. */
  readonly triggers: LedgerTriggers;
  /** Lists the partitions of workflows and backfills them. */
  readonly partitions: LedgerPartitions;
  /** Reads which steps have read and written datasets. */
  readonly datasets: LedgerDatasets;
  /** Lists open runs and explains why they wait. */
  readonly queue: LedgerQueue;
  /** Limits on running, starting and queued runs. */
  readonly limits: LedgerLimits;
  /** Policies on how long data is kept, which a cleaner executes. */
  readonly retention: LedgerRetention;
  /** Erases payloads of finished runs. */
  readonly erasure: LedgerErasure;
  readonly #close: () => Promise<void>;
  readonly #timers: Timers | undefined;
  readonly #workers = new Set<RunningEngine>();
  readonly #alerts: AlertLog;
  readonly #published = new Set<PublishedWorkflows>();
  readonly #schedulers = new Set<Scheduler>();
  readonly #projectors = new Set<Projector>();
  readonly #outboxes = new Set<Outbox>();
  readonly #cleaners = new Set<Cleaner>();
  readonly #consumers = new Set<Consumers>();
  /** Find workflows whose code this process has. */
  readonly #ownWorkflows = new Set<FindWorkflow>();
  readonly #stopObserving: () => void;
  readonly #logger: Logger | undefined;
  #lag: LagMonitor | null = null;
  #onLagAlert: ((alert: Alert) => void) | undefined;
  readonly #engine: Engine;
  readonly #signalling: Signalling;
  readonly #retry: Retry;
  readonly #runWaiters = new RunWaiters((runId) => [...this.#workers].some((worker) => worker.drives(runId)));

  constructor(store: FullStateStore, close: () => Promise<void>, options: LedgerOptions = {}) {
    this.store = store;
    this.metrics = options.metrics;
    this.#logger = options.logger;
    const meter = meterOf(options.metrics);
    const description = "Appended events whose key was stored with another payload; the first write counts.";
    const conflicts = meter.createObservableCounter("runledger_append_conflicts_total", { description }); // K5
    const observe = (result: ObservableResult): void => result.observe(store.conflicts ?? 0);
    conflicts.addCallback(observe);
    this.#stopObserving = () => conflicts.removeCallback(observe);
    const { timers = realTimers, logger, alerts } = options;
    this.#alerts = openAlerts({ meter, store: store.alerts, timers, logger }, alerts);
    this.schedules = new LedgerSchedules(store);
    this.subscriptions = new LedgerSubscriptions(store, () => new EnvSecrets(environment()));
    this.datasets = new LedgerDatasets(store, timers.now, () => missingPort("datasets"));
    this.queue = new LedgerQueue(store);
    this.limits = new LedgerLimits(store);
    this.retention = new LedgerRetention(store, () => missingPort("expiry"));
    this.triggers = new LedgerTriggers({
      ...this.#triggerParts(options.timers),
      secrets: () => new EnvSecrets(environment()),
    });
    this.erasure = new LedgerErasure(store);
    this.partitions = new LedgerPartitions({
      store,
      timers,
      find: workflowFinder(store, timers, this.#ownWorkflows),
      retry: (action) => this.#retry(action),
      catchUp: () => this.#catchUp(),
      onStarted: () => this.#workers.forEach((worker) => worker.start()),
    });
    this.#close = close;
    this.#timers = options.timers;
    this.#engine = options.engine ?? embeddedEngine;
    this.#signalling = { store, authorization: options.authorization };
    this.#retry = retryFor(options.retryForMs ?? 30_000);
    setInternals(this, {
      startCompiled: (workflow, input, startOptions) => this.#start(workflow, input, startOptions),
      startFork: (runId, forkOptions) => this.#fork(runId, forkOptions),
      denialOf: (state, request) => denialOf(options.authorization, state, request),
      recordDenial: (sent, reason) => recordDenial(store, sent, reason),
      watchLag: () => void this.#watchLag(),
      lagSeconds: () => this.#lag?.lagSeconds ?? null,
      pollPublished: () => this.#published.forEach((published) => published.pollNow()),
      addWorkflows: (find) => void this.#ownWorkflows.add(find),
    });
  }

  /** The last alerts that this ledger raised, oldest first. */
  get alerts(): readonly RecordedAlert[] {
    return this.#alerts.all;
  }

  /**
   * Starts a run: `ledger.start(workflow, { input, requestId })`. With the same `requestId`, it returns the run that an
   * earlier call started.
   */
  start<W extends AnyWorkflow>(
    workflow: W,
    ...params: StartArguments<W>
  ): Promise<RunHandle<ResultOf<W>, SignalsOf<W>>>;
  /** @deprecated Pass one object, `ledger.start(workflow, { input, ...options })`. The next version removes this form. */
  start<W extends AnyWorkflow>(
    workflow: W,
    ...inputAndOptions: PositionalStartArguments<W>
  ): Promise<RunHandle<ResultOf<W>, SignalsOf<W>>>;
  async start(workflow: AnyWorkflow, ...args: readonly unknown[]): Promise<RunHandle> {
    const compiled = compiledOf(workflow);
    const { runId, created, admission } = await startWith(args, ({ input, options }) =>
      this.#start(compiled, input, options),
    );
    return this.#handle(compiled, runId, { isNew: created, ...(admission && { admission }) });
  }

  async #start(workflow: CompiledWorkflow, input: unknown, options: StartOptions): Promise<StartedRun> {
    const request = {
      requestId: newId("req"),
      ...(directStartsOf(this.store) === undefined && { runId: newId("run") }),
      ...omitUndefined(options),
      timers: this.#timers ?? realTimers,
    };
    const started = await this.#retry(() => startRun(this.store, workflow, input, request));
    for (const worker of this.#workers) worker.start();
    return started;
  }

  /**
   * Starts a new run from a step of another run. The new run keeps the results of earlier steps. It runs `from` and every
   * step that depends on it, optionally in another version or with another input (D7).
   */
  async fork<W extends AnyWorkflow>(
    run: string | { readonly id: string },
    options: ForkOptions<W>,
  ): Promise<RunHandle<ResultOf<W>, SignalsOf<W>>> {
    const { runId, created, fork } = await this.#fork(idOf(run), options);
    return this.#handle(fork.workflow ?? { signals: {} }, runId, { isNew: created });
  }

  async #fork(runId: string, options: ForkOptions): Promise<StartedRun & { readonly fork: ForkPlan }> {
    const started = await forkRun(this.store, runId, options);
    for (const worker of this.#workers) worker.start();
    return started;
  }

  /** Returns which steps `fork` would keep and run. Writes nothing. */
  async previewFork(run: string | { readonly id: string }, options: ForkOptions): Promise<ForkPreview> {
    return previewOf(await planFork(this.store, idOf(run), options));
  }

  /** Returns a handle of an existing run, with the types of its workflow. Throws RUN_NOT_FOUND if it does not exist. */
  async get<W extends AnyWorkflow>(workflow: W, runId: string): Promise<RunHandle<ResultOf<W>, SignalsOf<W>>> {
    const [head] = await this.#retry(() => this.store.fetchHeads([runId]));
    if (head === undefined) throw new RunNotFoundError(runId);
    return this.#handle(compiledOf(workflow), runId);
  }

  #handle<Out, Sig>(
    { signals }: Pick<CompiledWorkflow, "signals">,
    runId: string,
    started: { readonly isNew?: boolean; readonly admission?: Admission } = {},
  ): RunHandle<Out, Sig> {
    const ports = { signalling: this.#signalling, runWaiters: this.#runWaiters, retry: this.#retry };
    return new RunHandle(ports, runId, { schemas: signals, ...started });
  }

  /** Sends a signal to a run that is known by its id only. Its payload is not checked against a schema. */
  async signal(runId: string, name: string, payload: Json, options?: SendOptions): Promise<void> {
    const once = { signalId: newId("sig"), ...omitUndefined(options ?? {}) };
    await this.#retry(() => sendSignal(this.#signalling, runId, name, payload, once));
    for (const worker of this.#workers) worker.wake(runId);
  }

  /** Sends an operator's action to a run that is known by its id only. */
  async act(runId: string, action: Action, options?: SendOptions & { readonly stepId?: string }): Promise<void> {
    const once = { signalId: newId("sig"), ...omitUndefined(options ?? {}) };
    await this.#retry(() => sendAction(this.#signalling, runId, action, once));
    for (const worker of this.#workers)
      if (action === "CANCEL") worker.cancel(runId);
      else worker.wake(runId);
  }

  /** Starts a worker that runs these workflows until it is stopped or the ledger is closed. */
  async worker(options: LedgerWorkerOptions): Promise<Worker> {
    checkWorkerOptions(options);
    const { published: runsPublished = false, engine = this.#engine, ...rest } = options;
    checkEngineOptions(engine, options);
    const { workerId, startWorker } = workerParts(this.store, engine);
    const workflows = rest.workflows.map(compiledOf);
    for (const one of workflows) await this.#retryLoudly(() => publishPlan(this.store, one.plan, notesOf(one))); // D7: in order, the last is the newest
    const variables = environment();
    const provider = options.secrets ?? new EnvSecrets(variables);
    moveSecrets((message) => (this.#logger ?? processLogger()).warn({ part: "worker" }, message));
    const id = workerId ?? newId(`worker-${hostname()}-${process.pid}`);
    const onFault = logFault("worker", this.#logger);
    const secrets = auditedSecrets(provider, { audit: () => this.store.audit, workerId: id, onFault });
    const { tenants } = options;
    const able = {
      plans: plansToClaim(workflows, options.runners),
      logFormat: LOG_FORMAT,
      ...omitUndefined({ tenants }),
    };
    const beat = { workerId: id, ttlMs: options.leaseMs ?? 10_000, ...able };
    await this.#retryLoudly(() => this.store.leases.heartbeat(beat));
    forgetWorkers(this.store);
    let published: PublishedWorkflows | null = null;
    const worker = await startWorker({
      id,
      store: this.store,
      options: {
        environment: variables,
        ...omitUndefined({ metrics: this.metrics }),
        ...rest,
        secrets,
        workflows,
        onAlert: this.#alerts.recording<Parameters<Required<WorkerOptions>["onAlert"]>[0]>(
          options.onAlert ?? logAlert(this.#logger),
        ),
        logger: this.#logger,
        onSettled: (runId, end) => this.#runWaiters.settled(runId, end),
        onStopping: () => this.#stopFollowing(published),
      },
      children: childRuns(this.store, workflows),
      timers: this.#timers,
    });
    this.#workers.add(worker);
    if (runsPublished) published = this.#followPublished(worker, workflows, options);
    return worker;
  }

  readonly #logWait = (error: RetryError): void =>
    (this.#logger ?? processLogger()).warn(
      { part: "worker", code: error.code },
      `The worker waits for its store: ${error.message}`,
    );

  /** Retries like every other call, and logs why a worker has not started yet. */
  #retryLoudly<T>(action: () => Promise<T>): Promise<T> {
    return this.#retry(() =>
      action().catch((error: unknown) => {
        if (error instanceof RetryError) this.#logWait(error);
        throw error;
      }),
    );
  }

  #followPublished(
    worker: RunningEngine,
    known: CompiledWorkflow[],
    { onFault, tenants }: Pick<WorkerOptions, "onFault" | "tenants">,
  ): PublishedWorkflows {
    const isOfOthers = ({ visibility }: PublishedPlan): boolean =>
      tenants !== undefined && !tenants.some((tenantId) => isVisibleTo(visibility, tenantId));
    const published = new PublishedWorkflows(this.store, this.#timers ?? realTimers, {
      has: (plan) => worker.has(plan) || isOfOthers(plan),
      add: (workflow) => {
        known.push(workflow); // other workflows may start it as a child
        worker.add(workflow);
      },
      onFault: (error) => onFault?.({ error }),
    });
    this.#published.add(published);
    return published;
  }

  #stopFollowing(published: PublishedWorkflows | null): void {
    if (published === null) return;
    published.stop();
    this.#published.delete(published);
  }

  /** Lists runs, newest first. The list includes everything that was recorded before the call. */
  list(options: ListOptions = {}): RunList {
    requirePort(this.store, "index");
    return new RunList(this.store, options, !this.#isProjected);
  }

  get #isProjected(): boolean {
    return [...this.#projectors].some((projector) => !projector.isStopped);
  }

  async #catchUp(): Promise<void> {
    requirePort(this.store, "index");
    if (!this.#isProjected) await catchUp(this.store);
  }

  /** Keeps snapshots and lists up to date with the log until it is stopped. Any number of projectors share the work. */
  projector(options: Omit<ProjectorOptions, "metrics" | "timers"> = {}): Projector {
    requirePort(this.store, "feed");
    const timers = this.#timers === undefined ? {} : { timers: this.#timers };
    const { onAlert: then = logAlert(this.#logger), onFault = logProjectorFault(this.#logger) } = options;
    const lag = this.#watchLag(then);
    const onAlert = this.#alerts.recording<Alert>(then);
    const projector = new Projector(
      this.store,
      { ...options, ...timers, onAlert, onFault, metrics: this.metrics },
      lag,
    );
    this.#projectors.add(projector);
    return projector;
  }

  /** One monitor per ledger, so that each alert is raised once. The alerts go to the first caller that receives them. */
  #watchLag(onAlert?: (alert: Alert) => void): LagMonitor {
    const { store, metrics } = this;
    this.#onLagAlert ??= onAlert;
    const alert = this.#alerts.recording((raised: Alert) => (this.#onLagAlert ?? logAlert(this.#logger))(raised));
    const fault = logFault("projector", this.#logger);
    this.#lag ??= new LagMonitor({ store, metrics, timers: this.#timers ?? realTimers, alert, fault });
    return this.#lag;
  }

  /** Publishes events to the buses of subscriptions until it is stopped. Any number of processes share the work. */
  outbox(options: LedgerOutboxOptions = {}): Outbox {
    requirePort(this.store, "outbox");
    const { secrets = new EnvSecrets(environment()), onFault = logFault("outbox", this.#logger), ...rest } = options;
    this.subscriptions.useBuses(options);
    const onAlert = this.#alerts.recording<OutboxAlert>(options.onAlert ?? logAlert(this.#logger));
    const parts = { secrets, ...omitUndefined({ metrics: this.metrics, timers: this.#timers }) };
    const outbox = new Outbox(this.store, { ...rest, onAlert, onFault }, parts);
    this.#outboxes.add(outbox);
    return outbox;
  }

  /** Starts runs for the events of brokers and for writes of datasets until it is stopped. Any number of processes share the work. */
  consumers(options: LedgerConsumerOptions = {}): Consumers {
    requirePort(this.store, "triggers");
    this.triggers.use(options);
    const { sources: own = {}, pollMs = 1000 } = options;
    const { datasets } = this.store;
    const builtIn = datasets && { [DATASET]: datasetSource(datasets, this.#timers ?? realTimers) };
    const sources = { ...own, ...builtIn };
    const parts = this.#triggerParts(this.#timers, options);
    const consumers = new Consumers({ ...parts, sources, pollMs });
    this.#consumers.add(consumers);
    return consumers;
  }

  #triggerParts(
    timers: Timers = realTimers,
    { onAlert = logAlert(this.#logger), onFault = logFault("triggers", this.#logger) }: ConsumerOptions = {},
  ) {
    const find = workflowFinder(this.store, timers, this.#ownWorkflows);
    const onStarted = (): void => this.#workers.forEach((worker) => worker.start());
    const description = "Events of triggers, by outcome.";
    const events = meterOf(this.metrics).createCounter("runledger_trigger_events_total", { description });
    const alert = this.#alerts.recording<TriggerAlert>(onAlert);
    return { store: this.store, timers, find, alert, fault: onFault, onStarted, events };
  }

  /** Executes retention policies until it is stopped. Any number of processes share a store. */
  cleaner(options: CleanerOptions = {}): Cleaner {
    requirePort(this.store, "retention");
    const parts = { metrics: this.metrics, timers: this.#timers ?? realTimers };
    const cleaner = new Cleaner(this.store, { onFault: logFault("retention", this.#logger), ...options }, parts);
    this.#cleaners.add(cleaner);
    return cleaner;
  }

  /** Lists the workflow versions and log formats that open runs need and no live worker has (D7). */
  unserved(): Promise<readonly UnservedPlan[]> {
    return this.store.plans.listUnserved();
  }

  /** Starts the runs of schedules until it is stopped or the ledger is closed. Any number may share a store. */
  scheduler(options: Omit<SchedulerOptions, "timers" | "onFired"> = {}): Scheduler {
    requirePort(this.store, "schedules");
    const onFired = (): void => this.#workers.forEach((worker) => worker.start());
    const raise = this.#alerts.recording(logAlert(this.#logger));
    const raised = new Set<string>(); // a failing schedule is retried every minute
    const { onFault = logSchedulerFault(this.#logger) } = options;
    const report = (fault: SchedulerFault): void => {
      const alert = fault.schedule && scheduleFailed(fault.schedule, fault.error);
      if (alert !== undefined && !raised.has(alert.message)) raise(alert);
      if (alert !== undefined) raised.add(alert.message);
      if (alert === undefined || options.onFault !== undefined) onFault(fault); // the alert is logged
    };
    const scheduler = new Scheduler(this.store, { ...options, onFired, onFault: report, timers: this.#timers });
    this.#schedulers.add(scheduler);
    scheduler.start();
    return scheduler;
  }

  /** Stops consumers, cleaners, schedulers, workers, outboxes and projectors of this ledger, and closes the store. */
  async close(): Promise<void> {
    await Promise.all([...this.#consumers].map((consumers) => consumers.stop()));
    await this.triggers.settled();
    await Promise.all([...this.#cleaners].map((cleaner) => cleaner.stop()));
    await Promise.all([...this.#schedulers].map((scheduler) => scheduler.stop()));
    await Promise.all([...this.#workers].map((worker) => worker.stop()));
    await Promise.all([...this.#outboxes].map((outbox) => outbox.stop()));
    await Promise.all([...this.#projectors].map((projector) => projector.stop()));
    await this.#lag?.stop();
    await this.#alerts.close();
    this.#stopObserving();
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
