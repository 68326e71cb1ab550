/** Explains why no worker can resume a run (D7, F5). */
import { workerGap, workerGapText, type Leases, type RunHeader } from "@runledger/contracts";
import { isTerminal } from "@runledger/core";
import type { Backend, EventPage } from "./backend.js";

/** Interval of checks on a run without new events. */
const CHECK_MS = 3_000;

type Workers = Awaited<ReturnType<Leases["listWorkers"]>>;

/** `no worker for nightly-orders 1.4.0`; `null` if a worker serves the run, or the run is finished. */
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

/** Checks a followed run from time to time while it has no new events. */
export class MissingWorkerWatch {
  readonly #backend: Backend;
  #since = Date.now();
  #found: string | null = null;

  constructor(backend: Backend) {
    this.#backend = backend;
  }

  async check({ events, state }: EventPage): Promise<string | null> {
    if (events.length > 0 || isTerminal(state.status)) this.#found = null;
    if (events.length > 0) this.#since = Date.now();
    if (Date.now() - this.#since < CHECK_MS) return this.#found;
    this.#found = isTerminal(state.status) ? null : await this.#backend.missingWorker(state);
    this.#since = Date.now();
    return this.#found;
  }
}
