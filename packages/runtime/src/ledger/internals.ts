/** Operations of a ledger for the server and the command. They are not part of the public API. */
import type { ForkOptions, ForkPlan } from "../runs/fork-plan.js";
import type { RunState } from "@runledger/core";
import type { Sent } from "../runs/signal-verdict.js";
import type { StartedRun, StartOptions } from "../runs/start-run.js";
import type { CompiledWorkflow } from "../workflow/compiled-workflow.js";
import type { FindWorkflow } from "../triggers/find-workflow.js";
import type { Ledger } from "./ledger.js";

export interface LedgerInternals {
  /** Starts a run of a workflow that is known by its plan. Reports whether the run is new. */
  readonly startCompiled: (workflow: CompiledWorkflow, input: unknown, options: StartOptions) => Promise<StartedRun>;
  /** Forks a run. Reports whether the run is new. */
  readonly startFork: (runId: string, options: ForkOptions) => Promise<StartedRun & { readonly fork: ForkPlan }>;
  /** Returns the reason why the ledger's authorization denies a signal or an action, or `null`. Records nothing. */
  readonly denialOf: (state: RunState, request: Omit<Sent, "signalId">) => Promise<string | null>;
  /** Records in the run's log that a caller was denied (G2). */
  readonly recordDenial: (sent: Sent, reason: string) => Promise<void>;
  /** Measures the lag of projections until the ledger is closed. Raises PROJECTOR_LAG_HIGH. */
  readonly watchLag: () => void;
  /** The lag that `watchLag` measured last. `null` before the first measurement. */
  readonly lagSeconds: () => number | null;
  /** Polls for published workflows now, for the workers of this ledger that run them. */
  readonly pollPublished: () => void;
  /** Adds workflows whose code this process has. Triggers prefer them to the plans in the store. */
  readonly addWorkflows: (find: FindWorkflow) => void;
}

const internals = new WeakMap<Ledger, LedgerInternals>();

export function setInternals(ledger: Ledger, operations: LedgerInternals): void {
  internals.set(ledger, operations);
}

export function internalsOf(ledger: Ledger): LedgerInternals {
  const known = internals.get(ledger);
  if (known === undefined) throw new TypeError("This is not a ledger. Create one with connect().");
  return known;
}
