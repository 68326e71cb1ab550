/**
 * Starts queued runs on an external engine (execution-semantics 3), for runs that our own workers do not drive. It holds no
 * state that matters: the store knows which runs the engine should have, and the engine knows whether it has them. Any
 * number of processes may call it, at any time and again after a crash.
 *  - It claims runs within all limits, each under a new epoch, so a run is leased before it starts.
 *  - It offers runs that were claimed earlier to the engine again, because the claimer may have died before the start.
 */
import {
  LOG_FORMAT,
  SeqMismatchError,
  StaleLeaseError,
  type FullStateStore,
  type HeldRun,
  type IRunQueueReconciler,
  type PlanRef,
} from "@runledger/contracts";

export interface ReconcilerOptions {
  readonly store: FullStateStore;
  /** Shared by all processes that start runs on the same engine. The engine keeps its runs while any of them calls. */
  readonly engineId: string;
  /** The plans that the engine can run (D7). */
  readonly plans: readonly PlanRef[];
  /**
   * Starts a run on the engine, which appends under `run.epoch`. The reconciler may call it again for the same run and epoch;
   * return SKIPPED if the engine already has the run. If it throws, the reconciler releases the run.
   */
  readonly start: (run: HeldRun) => Promise<"STARTED" | "SKIPPED">;
  /** How long the engine keeps its runs without a call. Default one minute. */
  readonly leaseMs?: number;
  /** Maximum number of runs to claim per call. Default 20. */
  readonly limit?: number;
  /** Delay before a run that failed to start is due again. Default ten seconds. */
  readonly pauseMs?: number;
  /** Called for each run that failed to start. */
  readonly onFailure?: (runId: string, error: unknown) => void;
}

/** The outcome of one run. */
export type Reconciled = Awaited<ReturnType<IRunQueueReconciler["dequeueAndStart"]>>[number];

export class RunQueueReconciler implements IRunQueueReconciler {
  readonly #options: Required<ReconcilerOptions>;
  /** Runs that the engine is known to have, with their epochs. Only a cache: it saves calls to the engine. */
  #known = new Map<string, number>();

  constructor(options: ReconcilerOptions) {
    this.#options = { leaseMs: 60_000, limit: 20, pauseMs: 10_000, onFailure: () => {}, ...options };
  }

  async dequeueAndStart(): Promise<Reconciled[]> {
    const { store, engineId, plans, leaseMs, limit } = this.#options;
    await store.leases.heartbeat({ workerId: engineId, ttlMs: leaseMs, plans, logFormat: LOG_FORMAT });
    const { runs: held } = await store.queue.heldRuns(engineId);
    const { runs: claimed } = await store.queue.claimRuns({ workerId: engineId, plans, logFormat: LOG_FORMAT, limit });
    this.#forgetAllBut(held);
    const results: Reconciled[] = [];
    for (const run of [...held, ...claimed])
      if (this.#known.get(run.runId) !== run.epoch) results.push(await this.#start(run));
    return results;
  }

  #forgetAllBut(held: readonly HeldRun[]): void {
    this.#known = new Map(
      held.flatMap(({ runId }) => (this.#known.has(runId) ? [[runId, this.#known.get(runId)!]] : [])),
    );
  }

  async #start(run: HeldRun): Promise<Reconciled> {
    const { runId, epoch } = run;
    try {
      const status = await this.#options.start(run);
      this.#known.set(runId, epoch);
      return { runId, status };
    } catch (error) {
      if (error instanceof StaleLeaseError) return { runId, status: "SKIPPED" }; // another process has it
      this.#options.onFailure(runId, error);
      return { runId, status: (await this.#release(run)) ? "FAILED" : "SKIPPED" };
    }
  }

  /** Parks the run again. Returns `false` if another caller started it meanwhile. */
  async #release({ runId, epoch, headSeq, wakes }: HeldRun): Promise<boolean> {
    const { store, engineId, pauseMs } = this.#options;
    const { now } = await store.leases.listWorkers();
    const wakeAt = new Date(Date.parse(now) + pauseMs).toISOString();
    const parking = { workerId: engineId, runId, epoch, expectedSeq: headSeq, wakes, wakeAt, checkpoint: null };
    try {
      await store.queue.parkRun({ ...parking, unanswered: true });
      return true;
    } catch (error) {
      if (error instanceof SeqMismatchError || error instanceof StaleLeaseError) return false;
      throw error;
    }
  }
}
