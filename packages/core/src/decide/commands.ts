import type { Json } from "@runledger/contracts";

/** An event that the engine should append. The engine fills in run, plan, ids and times. */
export interface EventDraft {
  readonly eventType: string;
  readonly stepId?: string;
  /** A number. For a signal: its id (K2). */
  readonly attempt: number | string;
  readonly data?: Json;
  readonly causedBySignalId?: string;
}

/**
 * Something that should happen next. Commands describe the wanted state, not a change: a step that is already running
 * is requested again, and the engine ignores commands that it is already executing.
 */
export type Command =
  /**
   * Append this event, after `notBefore` by the store's clock if it is set (D3). An event that changes the run's status
   * is appended only at the head that was folded (O2).
   */
  | { readonly type: "append"; readonly event: EventDraft; readonly notBefore?: string; readonly changesStatus?: true }
  /** Run this attempt of a step: append StepStarted, do the work, then append its result. */
  | ({ readonly type: "run" } & StepCommand)
  /** Call the container's closure (D1). StepStarted records the result. */
  | ({ readonly type: "open" } & StepCommand)
  /** Call the closure of a `repeat` to determine whether another pass follows. */
  | {
      readonly type: "askAgain";
      readonly stepId: string;
      readonly path: string;
      readonly iteration: number;
      /** Attempt of the pass. */
      readonly attempt: number;
    }
  /** Check whether a child run has finished. */
  | { readonly type: "awaitChild"; readonly stepId: string; readonly attempt: number; readonly childRunId: string }
  /** Stop a running step, wait for it, and record its result. */
  | { readonly type: "abort"; readonly stepId: string; readonly attempt: number }
  | { readonly type: "cancelChild"; readonly childRunId: string };

export interface StepCommand {
  readonly stepId: string;
  /** The step's path in the plan. */
  readonly path: string;
  readonly attempt: number;
  readonly notBefore?: string;
}
