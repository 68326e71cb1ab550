/**
 * The latency budget of a worker's appends (B1). An append above it is late: the worker stops waiting, but the append may
 * still be stored. Its run continues without it only if it is in the spool.
 */
import { RetryError, type StateStore } from "@runledger/contracts";
import { retry } from "../../time/retry.js";
import type { Logger } from "../../telemetry/logger.js";
import type { Timers } from "../../time/timers.js";
import type { Alert } from "../run-context.js";
import type { BudgetMetrics } from "./budget-metrics.js";
import { closeSpool, type OwnedSpool } from "./open-spool.js";
import type { SpooledAppend } from "./spool-records.js";

export interface WriteBudgetParams {
  readonly budgetMs: number;
  /** `null` if nothing may fail open. */
  readonly owned: OwnedSpool | null;
  readonly timers: Timers;
  readonly alert: (alert: Alert) => void;
  readonly fault: (error: unknown) => void;
  readonly logger: Pick<Logger, "warn">;
  readonly metrics: BudgetMetrics;
}

/** An append that has no answer within the budget. */
export class LateAppend extends Error {
  /** Resolves once the append has an answer, also if that is an error. */
  readonly answered: Promise<void>;

  constructor(budgetMs: number, answered: Promise<void>) {
    super(`The store did not confirm an append within ${budgetMs} ms.`);
    this.answered = answered;
  }
}

export class WriteBudget {
  readonly #params: WriteBudgetParams;
  /** Those that an earlier process left. */
  #left: readonly SpooledAppend[];
  /** `true` from the first late append until one is in time, so that an outage raises one alert. */
  #isLate = false;

  constructor(params: WriteBudgetParams) {
    this.#params = params;
    this.#left = params.owned?.spool.records ?? [];
    this.#measure();
  }

  /** Repeats the append while the store is unavailable. Throws LateAppend once the budget is used up. */
  async within<T>(runId: string, append: () => Promise<T>): Promise<T> {
    const { timers, budgetMs } = this.#params;
    let isOver = false;
    const shouldRetry = (error: unknown): boolean => error instanceof RetryError && !isOver;
    const sending = retry(append, { timers, delayMs: 100, maxDelayMs: 1600, shouldRetry });
    const answered = sending.then(ignore, ignore);
    const late = new Promise<never>((_, reject) => {
      const cancel = timers.after(budgetMs, () => {
        isOver = true;
        reject(new LateAppend(budgetMs, answered));
      });
      void answered.then(cancel);
    });
    try {
      const result = await Promise.race([sending, late]);
      this.#isLate = false;
      return result;
    } catch (error) {
      if (error instanceof LateAppend) this.#report(runId);
      throw error;
    }
  }

  /** Returns `true` once the events are durable in the spool, `false` if they must be stored first. */
  async spool(append: SpooledAppend): Promise<boolean> {
    const { owned, fault, metrics } = this.#params;
    if (owned === null) return false;
    try {
      if (!(await owned.spool.add(append))) return false;
    } catch (error) {
      fault(error);
      return false;
    }
    metrics.spooled("spooled");
    this.#measure();
    return true;
  }

  /**
   * Removes events from the spool. `reconciled`: the log has them. `dropped`: it will not get them from this worker.
   * `replaced`: a later record has them, too.
   */
  async settle(append: SpooledAppend, outcome: "reconciled" | "dropped" | "replaced"): Promise<void> {
    const { owned, metrics, fault } = this.#params;
    if (outcome !== "replaced") metrics.spooled(outcome);
    if (outcome === "dropped") this.#reportDropped(append);
    await owned?.spool.remove([append]).catch(fault); // if it stays, a later worker finds it settled
    this.#measure();
  }

  /**
   * Appends what an earlier process left, in order and under the epochs of that process: the store refuses the events of a
   * run that another worker has taken over. Throws while the store is unavailable.
   */
  async reconcileLeft(store: StateStore): Promise<void> {
    while (this.#left.length > 0) {
      const [append] = this.#left as [SpooledAppend];
      const outcome = await reconcile(store, append);
      this.#left = this.#left.slice(1);
      await this.settle(append, outcome);
    }
  }

  async close(): Promise<void> {
    if (this.#params.owned !== null) await closeSpool(this.#params.owned);
  }

  #report(runId: string): void {
    const { budgetMs, metrics, alert } = this.#params;
    metrics.late();
    if (this.#isLate) return;
    this.#isLate = true;
    const message = `An append of run ${runId} took longer than the budget of ${budgetMs} ms. The alert is raised again after an append that is in time.`;
    alert({ code: "APPEND_BUDGET_EXCEEDED", runId, message });
  }

  #reportDropped({ runId, events }: SpooledAppend): void {
    const steps = events.map(({ stepId }) => stepId).join(", ");
    const message = `The spool drops the start of ${steps} in run ${runId}: this worker no longer owns the run, or its steps have moved on.`;
    this.#params.logger.warn({ part: "worker", runId }, message);
  }

  #measure(): void {
    this.#params.metrics.bytes(this.#params.owned?.spool.bytes ?? 0);
  }
}

async function reconcile(store: StateStore, { epoch, events }: SpooledAppend): Promise<"reconciled" | "dropped"> {
  try {
    await store.appendEvents(events, { fence: epoch });
    return "reconciled";
  } catch (error) {
    if (error instanceof RetryError) throw error;
    return "dropped";
  }
}

function ignore(): void {}
