/** The port between the ledger and what executes runs. */
import type { FullStateStore, PlanRef } from "@runledger/contracts";
import type { Timers } from "../time/timers.js";
import type { CompiledWorkflow } from "../workflow/compiled-workflow.js";
import type { Children } from "./engine-deps.js";
import type { EngineWorkerOptions, Worker } from "./worker.js";

export type { Worker, WorkerOptions } from "./worker.js";

/** Executes runs: in the workers' own processes, or on a cluster. */
export interface Engine {
  readonly kind: string;
}

export interface EngineParts {
  /** The id under which its workers hold runs. `null` if each worker has its own id. */
  readonly workerId: string | null;
  startWorker(params: StartWorker): Promise<RunningEngine>;
  /** `true` if it works on a store whose append authority leaves gaps, because it settles them (P10). */
  readonly settlesGaps?: boolean;
  /** Absent if the engine needs a store with a queue. */
  readonly direct?: DirectEngine;
}

/** An engine that executes runs without a queue, because its cluster owns them. */
export interface DirectEngine {
  connect(): Promise<Executions>;
  startWorker(params: StartWorker): Promise<RunningEngine>;
}

/** The executions of runs on a cluster. Throws ENGINE_UNAVAILABLE if the cluster does not respond. */
export interface Executions {
  /** Starts an execution of the run unless it has an open one. */
  start(runId: string): Promise<void>;
  /** The run's log has news. Starts an execution if there is none. */
  wake(runId: string): Promise<void>;
  close(): Promise<void>;
}

/** `executing` if the engine drives the run or has an open execution of it. */
export type EngineStatus = "executing" | "absent";

/**
 * A running engine, as the ledger uses it. The ledger first records what happens and then calls the engine. A call that is
 * lost only causes a delay: the engine polls the store, too.
 */
export interface RunningEngine extends Worker {
  /** A run was queued. The engine claims it if limits allow. */
  start(): void;
  /** A signal or an action was recorded for the run. */
  wake(runId: string): void;
  /** A cancel was recorded for the run. */
  cancel(runId: string): void;
  status(runId: string): Promise<EngineStatus>;
  /** Compares what it executes with what the store says, and restores what was lost. */
  reconcile(): Promise<void>;
  /** `true` if this process executes the run and notifies its waiters. */
  drives(runId: string): boolean;
  has(plan: PlanRef): boolean;
  /** Adds a workflow that it can run from now on. */
  add(workflow: CompiledWorkflow): void;
}

export interface StartWorker {
  readonly id: string;
  readonly store: FullStateStore;
  readonly options: EngineWorkerOptions;
  readonly children: Children;
  readonly timers: Timers | undefined;
}

const engines = new WeakMap<Engine, EngineParts>();

export function newEngine(kind: string, parts: EngineParts): Engine {
  const engine = { kind };
  engines.set(engine, parts);
  return engine;
}

export function partsOf(engine: Engine): EngineParts {
  const parts = engines.get(engine);
  if (parts === undefined) throw new TypeError("Not an engine. Create one with temporalEngine().");
  return parts;
}

/** Drives runs in this process. */
export const embeddedEngine: Engine = newEngine("embedded", {
  workerId: null,
  startWorker: async ({ id, store, options, children, timers }) => {
    const { EngineWorker } = await import("./worker.js"); // readers need no engine
    const { openSpoolFor } = await import("./budget/open-spool.js");
    const spool = await openSpoolFor(options.stateStore);
    return new EngineWorker(id, store, { ...options, spool }, children, timers);
  },
});
