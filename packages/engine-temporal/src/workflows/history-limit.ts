/**
 * Decides when an execution continues as new. Its activities cannot move to another execution, so it first starts no more
 * steps until the running ones have finished. A long step must not hold up the others: after a pause the execution starts
 * steps again, and tries once more later.
 */
import { workflowInfo } from "@temporalio/workflow";
import type { ExecutionSettings } from "../messages.js";

/** How long running steps have to finish. */
const DRAIN_MS = 5000;

export class HistoryLimit {
  readonly #settings: ExecutionSettings;
  #steps = 0;
  /** The limits are raised by this factor, because running steps took too long to finish. */
  #factor = 1;
  #drainsUntil: number | null = null;

  constructor(settings: ExecutionSettings) {
    this.#settings = settings;
  }

  /** `true` if the execution should continue as new. */
  get isReached(): boolean {
    return this.#exceeds(1);
  }

  /** Number of steps that may start now. */
  get room(): number {
    return this.#settings.continueAfterSteps * this.#factor - this.#steps;
  }

  /** When steps may start again although running ones have not finished. `null` if they may start now. */
  get drainsUntil(): number | null {
    return this.#drainsUntil;
  }

  countStep(): void {
    this.#steps += 1;
  }

  /** Returns `true` while no step may start. */
  isDraining(now: number): boolean {
    if (!this.#exceeds(this.#factor)) return false;
    if (workflowInfo().continueAsNewSuggested) return true; // the cluster would terminate the execution some time later
    this.#drainsUntil ??= now + DRAIN_MS;
    if (now < this.#drainsUntil) return true;
    this.#drainsUntil = null;
    this.#factor += 1;
    return false;
  }

  #exceeds(factor: number): boolean {
    const { continueAfterSteps, continueAfterBytes } = this.#settings;
    const { historySize, continueAsNewSuggested } = workflowInfo();
    if (this.#steps >= continueAfterSteps * factor || continueAsNewSuggested) return true;
    return historySize >= continueAfterBytes * factor;
  }
}
