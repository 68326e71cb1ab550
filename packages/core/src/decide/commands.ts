import type { Json } from "@runledger/contracts";

/** An event that the engine is to append; run, plan, ids and times are filled in by whoever does. */
export interface EventDraft {
  readonly eventType: string;
  readonly stepId?: string;
  /** A signal's is its id (K2). */
  readonly attempt: number | string;
  readonly data?: Json;
  readonly causedBySignalId?: string;
}

/**
 * What is to happen next. Commands say what should be so, not what to do once more: a step that already runs is asked
 * for again, and whoever carries commands out passes over what is under way.
 */
export type Command =
  /** Append this, once `notBefore` has passed by the store's clock (D3). A run's status changes only at the head that was folded (O2). */
  | { readonly type: "append"; readonly event: EventDraft; readonly notBefore?: string; readonly changesStatus?: true }
  /** Run this attempt of a step: StepStarted, the work, then how it ended. */
  | ({ readonly type: "run" } & StepCommand)
  /** Ask the container's closure (D1): StepStarted records what it returned. */
  | ({ readonly type: "open" } & StepCommand)
  /** Ask the closure of a `repeat` whether this pass was the last. */
  | {
      readonly type: "askAgain";
      readonly stepId: string;
      readonly path: string;
      readonly iteration: number;
      /** Of the pass. */
      readonly attempt: number;
    }
  /** Look whether a child run has ended. */
  | { readonly type: "awaitChild"; readonly stepId: string; readonly attempt: number; readonly childRunId: string }
  /** Stop a running step, wait for it, and record how it ended. */
  | { readonly type: "abort"; readonly stepId: string; readonly attempt: number }
  | { readonly type: "cancelChild"; readonly childRunId: string };

export interface StepCommand {
  readonly stepId: string;
  /** Where the step stands in the plan. */
  readonly path: string;
  readonly attempt: number;
  readonly notBefore?: string;
}
