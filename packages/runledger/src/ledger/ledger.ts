import { hostname } from "node:os";
import type { FullStateStore, Json } from "@runledger/contracts";
import { childRuns } from "../engine/children.js";
import type { Timers } from "../engine/engine-parts.js";
import { Worker, type WorkerOptions } from "../engine/worker.js";
import { compiledOf } from "../workflow/compiled-workflow.js";
import type { AnyWorkflow, InputOf, ResultOf, SignalsOf } from "../workflow/types.js";
import { RunHandle } from "./run-handle.js";
import { sendAction, sendSignal, type SendOptions } from "./signals.js";
import { randomId, startRun, type StartOptions } from "./start-run.js";

type StartArguments<W> =
  undefined extends InputOf<W>
    ? [input?: InputOf<W>, options?: StartOptions]
    : [input: InputOf<W>, options?: StartOptions];

/** A store, and what can be done with runs on it. */
export class Ledger implements AsyncDisposable {
  readonly store: FullStateStore;
  readonly #close: () => Promise<void>;
  readonly #timers: Timers | undefined;
  readonly #workers = new Set<Worker>();

  constructor(store: FullStateStore, close: () => Promise<void>, timers?: Timers) {
    this.store = store;
    this.#close = close;
    this.#timers = timers;
  }

  async start<W extends AnyWorkflow>(
    workflow: W,
    ...[input, options = {}]: StartArguments<W>
  ): Promise<RunHandle<ResultOf<W>, SignalsOf<W>>> {
    const runId = await startRun(this.store, compiledOf(workflow), input, options);
    for (const worker of this.#workers) worker.nudge();
    return new RunHandle(this.store, runId);
  }

  async get<W extends AnyWorkflow>(_workflow: W, runId: string): Promise<RunHandle<ResultOf<W>, SignalsOf<W>>> {
    return new RunHandle(this.store, runId);
  }

  /** By id alone nothing is known of the workflow's types. */
  async signal(runId: string, name: string, payload: Json, options?: SendOptions): Promise<void> {
    await sendSignal(this.store, runId, name, payload, options);
    for (const worker of this.#workers) worker.nudge();
  }

  async act(runId: string, action: string, options?: SendOptions & { readonly stepId?: string }): Promise<void> {
    await sendAction(this.store, runId, action, options);
    for (const worker of this.#workers) worker.nudge();
  }

  async worker(
    options: Omit<WorkerOptions, "workflows"> & { readonly workflows: readonly AnyWorkflow[] },
  ): Promise<Worker> {
    const workflows = options.workflows.map(compiledOf);
    const id = randomId(`worker-${hostname()}-${process.pid}`);
    await this.store.leases.heartbeat({ workerId: id, ttlMs: options.leaseMs ?? 10_000 });
    const worker = new Worker(
      id,
      this.store,
      { ...options, workflows },
      childRuns(this.store, workflows),
      this.#timers,
    );
    this.#workers.add(worker);
    return worker;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#workers].map((worker) => worker.stop()));
    await this.store.close();
    await this.#close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}
