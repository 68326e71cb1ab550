/**
 * Gives queued runs to an engine (execution-semantics 3): for those that are not driven by our own workers. It keeps nothing
 * that matters: the store says which runs the engine should have, and the engine whether it has them. So it may be called
 * from anywhere, by as many as like, and again after any crash.
 *  - What may run is claimed within all limits, each run under a new epoch: it is leased before it is started.
 *  - Of what was claimed before, the engine is asked whether it has it: who claimed it may have died on the way.
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
  /** Whoever starts runs for the same engine says the same. Its runs are its own for as long as one of them calls. */
  readonly engineId: string;
  /** What the engine can run (D7). */
  readonly plans: readonly PlanRef[];
  /**
   * Starts a run in the engine, which appends under `run.epoch`. May be asked for the same run and epoch again, and then
   * says SKIPPED if it has it. What it throws gives the run back.
   */
  readonly start: (run: HeldRun) => Promise<"STARTED" | "SKIPPED">;
  /** How long the engine keeps its runs if nobody calls. Default one minute. */
  readonly leaseMs?: number;
  /** How many are claimed with a call. Default 20. */
  readonly limit?: number;
  /** Before a run that did not start is due again. Default ten seconds. */
  readonly pauseMs?: number;
  /** Hears of runs that did not start. */
  readonly onFailure?: (runId: string, error: unknown) => void;
}

type Reconciled = Awaited<ReturnType<IRunQueueReconciler["dequeueAndStart"]>>[number];

export class RunQueueReconciler implements IRunQueueReconciler {
  readonly #options: Required<ReconcilerOptions>;
  /** Runs that the engine is known to have, and their epochs. Saves questions, and nothing else. */
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
      if (error instanceof StaleLeaseError) return { runId, status: "SKIPPED" }; // somebody else has it
      this.#options.onFailure(runId, error);
      return { runId, status: (await this.#giveBack(run)) ? "FAILED" : "SKIPPED" };
    }
  }

  /** False = it has gone on meanwhile: another caller has started it. */
  async #giveBack({ runId, epoch, headSeq, wakes }: HeldRun): Promise<boolean> {
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
