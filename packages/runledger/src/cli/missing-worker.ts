/** Whether anybody can go on with a run (D7, F5), as it is told on a screen. */
import { workerGap, workerGapText, type Leases, type RunHeader } from "@runledger/contracts";
import { isTerminal } from "@runledger/core";
import type { Desk, Page } from "./desk/desk.js";

/** A run that stands still for so long is looked into, and again after as long. */
const PATIENCE_MS = 3_000;

type Workers = Awaited<ReturnType<Leases["listWorkers"]>>;

/** `no worker for nightly-orders 1.4.0`; null = there is one, or none is needed any more. */
export function missingWorker(
  workers: Workers,
  run: Pick<RunHeader, "status" | "planId" | "planVersion" | "logFormat">,
): string | null {
  const { status, planId, planVersion, logFormat } = run;
  if (isTerminal(status) || planId === undefined || planVersion === undefined || logFormat === undefined) return null;
  const needs = { planId, planVersion, logFormat };
  const missing = workerGap(workers, needs);
  return missing === null ? null : workerGapText(missing, needs);
}

/** The same for a run that is followed: asked now and then, while nothing happens to it. */
export class MissingWorkerWatch {
  readonly #desk: Desk;
  #since = Date.now();
  #found: string | null = null;

  constructor(desk: Desk) {
    this.#desk = desk;
  }

  async look({ events, state }: Page): Promise<string | null> {
    if (events.length > 0 || isTerminal(state.status)) this.#found = null;
    if (events.length > 0) this.#since = Date.now();
    if (Date.now() - this.#since < PATIENCE_MS) return this.#found;
    this.#found = isTerminal(state.status) ? null : await this.#desk.missingWorker(state);
    this.#since = Date.now();
    return this.#found;
  }
}
