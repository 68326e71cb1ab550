/**
 * A worker on a store without a queue. It claims nothing: the ledger starts and wakes executions, and the cluster hands
 * their tasks to any worker of the task queue.
 */
import type { PlanRef } from "@runledger/contracts";
import type { EngineStatus, RunningEngine, StartWorker } from "@runledger/runtime/engine/engine";
import { watchProcess } from "@runledger/runtime/engine/step-process";
import { realTimers } from "@runledger/runtime/time/timers";
import type { CompiledWorkflow } from "@runledger/runtime/workflow/compiled-workflow";
import type { Client } from "@temporalio/client";
import { hasExecution } from "../client/granted-run.js";
import type { TemporalSettings } from "../settings.js";
import { StepWork } from "./step-work.js";

export class DirectWorker implements RunningEngine {
  readonly id: string;
  /** The cluster drives the runs. */
  readonly driving = 0;
  readonly work: StepWork;
  readonly #client: Client;
  readonly #workflows: CompiledWorkflow[];
  readonly #onStopping: () => void;
  readonly #unwatchProcess = watchProcess();
  #stopCluster: () => Promise<void> = async () => {};
  #stopped: Promise<void> | null = null;

  constructor(settings: TemporalSettings, start: StartWorker, client: Client) {
    const { id, options, timers = realTimers } = start;
    this.id = id;
    this.#client = client;
    this.#workflows = [...options.workflows];
    this.#onStopping = options.onStopping ?? (() => {});
    this.work = new StepWork(settings, start, { now: () => timers.now(), workflowOf: (plan) => this.#find(plan) });
  }

  has(plan: PlanRef): boolean {
    return this.#find(plan) !== undefined;
  }

  add(workflow: CompiledWorkflow): void {
    if (!this.has(workflow.plan)) this.#workflows.push(workflow);
  }

  async status(runId: string): Promise<EngineStatus> {
    return (await hasExecution(this.#client, runId)) ? "executing" : "absent";
  }

  drives(): boolean {
    return false;
  }

  /** The ledger has already started the execution. */
  start(): void {}

  /** The append has already woken the execution. */
  wake(): void {}

  cancel(): void {}

  /** A start, a signal or an action restores a lost execution. */
  async reconcile(): Promise<void> {}

  onStop(stop: () => Promise<void>): void {
    this.#stopCluster = stop;
  }

  /** Waits for running steps and closes the connections. A second call hands the steps over now. */
  stop(): Promise<void> {
    if (this.#stopped === null) this.#onStopping();
    else this.work.handOver();
    this.#stopped ??= this.#stopCluster()
      .then(() => this.work.close())
      .then(() => this.#unwatchProcess());
    return this.#stopped;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  #find({ planId, planVersion }: PlanRef): CompiledWorkflow | undefined {
    return this.#workflows.find(({ plan }) => plan.planId === planId && plan.planVersion === planVersion);
  }
}
