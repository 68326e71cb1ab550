import type { EngineStatus, StartWorker } from "@runledger/runtime/engine/engine";
import { EngineWorker, type NewDriver } from "@runledger/runtime/engine/worker";
import { realTimers } from "@runledger/runtime/time/timers";
import type { Client } from "@temporalio/client";
import { GrantedRun, hasExecution } from "../client/granted-run.js";
import type { SearchAttribute } from "../messages.js";
import { executionOf, type TemporalSettings } from "../settings.js";
import { StepWork } from "./step-work.js";

/** Runs that the workers of one queue hold at a time. A run that waits is not held. */
const MAX_HELD = 10_000;

/**
 * Claims runs like every worker, and lets the cluster drive them. All workers of a task queue hold runs under one id,
 * because a run belongs to the cluster, not to a process.
 */
export class Dispatcher extends EngineWorker {
  readonly work: StepWork;
  readonly #client: Client;
  #stopCluster: () => Promise<void> = async () => {};
  #stopped: Promise<void> | null = null;

  constructor(
    settings: TemporalSettings,
    start: StartWorker,
    client: Client,
    searchAttributes: readonly SearchAttribute[],
  ) {
    const { id, store, options, children, timers = realTimers } = start;
    const execution = { ...executionOf(settings), ...(searchAttributes.length > 0 && { searchAttributes }) };
    const grants = { client, taskQueue: settings.taskQueue, execution, timers, checkMs: settings.heartbeatTimeoutMs };
    const newDriver: NewDriver = (_context, _deps, held, isClaimed) => new GrantedRun(grants, held, isClaimed);
    super(id, store, { ...options, concurrency: MAX_HELD, newDriver, isShared: true }, children, timers);
    this.#client = client;
    this.work = new StepWork(settings, start, { now: this.now, workflowOf: (plan) => this.workflowOf(plan) });
  }

  override async status(runId: string): Promise<EngineStatus> {
    return (await hasExecution(this.#client, runId)) ? "executing" : "absent";
  }

  onStop(stop: () => Promise<void>): void {
    this.#stopCluster = stop;
  }

  /** Stops claiming, waits for running steps and closes the connections. A second call hands the steps over now. */
  override stop(): Promise<void> {
    if (this.#stopped !== null) this.work.handOver();
    this.#stopped ??= super
      .stop()
      .then(() => this.#stopCluster())
      .then(() => this.work.close());
    return this.#stopped;
  }
}
