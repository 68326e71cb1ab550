/** A worker: claims runs that are due, drives each, and says that it lives (O1). */
import { LOG_FORMAT, RetryError, type FullStateStore, type Lease } from "@runledger/contracts";
import type { CompiledWorkflow } from "../workflow/compiled-workflow.js";
import { pause, realTimers, type Children, type EngineParts, type Timers } from "./engine-parts.js";
import { RunDriver } from "./run-driver.js";
import { Runners, type Runner } from "./runners.js";

export interface WorkerOptions {
  readonly workflows: readonly CompiledWorkflow[];
  /** Runs that are driven at a time. Default 100. */
  readonly concurrency?: number;
  /** How long a worker that says nothing keeps its runs. Default ten seconds. */
  readonly leaseMs?: number;
  /** How often the queue is asked. Default 100 ms. */
  readonly pollMs?: number;
  /** Runners of kinds of your own. */
  readonly runners?: Readonly<Record<string, Runner>>;
}

export class Worker implements AsyncDisposable {
  readonly id: string;
  readonly #store: FullStateStore;
  readonly #options: Required<Omit<WorkerOptions, "runners">>;
  readonly #parts: EngineParts;
  readonly #drivers = new Map<string, { readonly driver: RunDriver; readonly done: Promise<void> }>();
  /** The store's clock less this machine's. */
  #offset = 0;
  #stopping = false;
  #handingOver = false;
  readonly #loops: Promise<unknown>;
  #nudge: () => void = () => {};

  constructor(
    id: string,
    store: FullStateStore,
    options: WorkerOptions,
    children: Children,
    timers: Timers = realTimers,
  ) {
    this.id = id;
    this.#store = store;
    const { workflows, concurrency = 100, leaseMs = 10_000, pollMs = 100, runners } = options;
    this.#options = { workflows, concurrency, leaseMs, pollMs };
    this.#parts = { workerId: id, runners: new Runners(runners), timers, children };
    this.#loops = Promise.all([this.#heartbeats(), this.#claims()]);
  }

  /** There may be something to do: ask at once. */
  nudge(): void {
    this.#nudge();
  }

  /** Claims nothing more and waits for running steps; called again, hands everything over at once. */
  async stop(): Promise<void> {
    this.#handingOver = this.#stopping;
    this.#stopping = true;
    this.#nudge();
    if (this.#handingOver) for (const { driver } of this.#drivers.values()) driver.abandon();
    await Promise.all([...this.#drivers.values()].map(({ done }) => done));
    await this.#loops;
    await this.#store.leases.retireWorker(this.id); // what it still owns is free
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  readonly #now = (): number => this.#parts.timers.now() + this.#offset;

  async #heartbeats(): Promise<void> {
    const every = this.#options.leaseMs / 3;
    while (!this.#isDone()) {
      await unlessAway(async () => {
        const { now } = await this.#store.leases.heartbeat({ workerId: this.id, ttlMs: this.#options.leaseMs });
        this.#offset = Date.parse(now) - this.#parts.timers.now();
      });
      await this.#rest(every);
    }
  }

  async #claims(): Promise<void> {
    while (!this.#isDone()) {
      const claimed = await unlessAway(() => this.#claim());
      await unlessAway(() => this.#pokeWoken());
      if (claimed !== true) await this.#rest(this.#options.pollMs);
    }
  }

  /** True = there may be more. */
  async #claim(): Promise<boolean> {
    const limit = this.#options.concurrency - this.#drivers.size;
    if (this.#stopping || limit <= 0) return false;
    const plans = this.#options.workflows.map(({ plan: { planId, planVersion } }) => ({ planId, planVersion }));
    const { leases } = await this.#store.queue.claimRuns({
      workerId: this.id,
      plans,
      logFormat: LOG_FORMAT,
      limit: Math.min(limit, 20),
    });
    await Promise.all(leases.map((lease) => this.#take(lease)));
    return leases.length > 0;
  }

  async #take(lease: Lease): Promise<void> {
    const [queued] = await this.#store.fetchEvents(lease.runId, { limit: 1 });
    const workflow = this.#options.workflows.find(
      ({ plan }) => plan.planId === queued?.planId && plan.planVersion === queued.planVersion,
    );
    if (workflow === undefined) return; // claimed by name; the log says otherwise, and is right
    const facts = { runId: lease.runId, store: this.#store, workflow, epoch: lease.epoch, now: this.#now };
    const driver = new RunDriver(facts, this.#parts);
    const done = driver.drive(lease.takenFrom).finally(() => {
      if (this.#drivers.get(lease.runId)?.driver === driver) this.#drivers.delete(lease.runId);
      this.#nudge();
    });
    done.catch(() => {}); // awaited by stop()
    this.#drivers.set(lease.runId, { driver, done });
  }

  async #pokeWoken(): Promise<void> {
    if (this.#drivers.size === 0) return;
    const { runIds } = await this.#store.queue.wokenRuns(this.id);
    for (const runId of runIds) this.#drivers.get(runId)?.driver.poke();
  }

  #isDone(): boolean {
    return this.#stopping && this.#drivers.size === 0;
  }

  async #rest(ms: number): Promise<void> {
    if (this.#isDone()) return;
    await Promise.race([pause(this.#parts.timers, ms), new Promise<void>((resolve) => (this.#nudge = resolve))]);
  }
}

/** A store that is away comes back; until then there is nothing to do. */
async function unlessAway<T>(action: () => Promise<T>): Promise<T | undefined> {
  try {
    return await action();
  } catch (error) {
    if (error instanceof RetryError) return undefined;
    throw error;
  }
}
