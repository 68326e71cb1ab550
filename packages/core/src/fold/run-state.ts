import { omitUndefined, type Json, type RunHeader, type RunStatus, type StepRow } from "@runledger/contracts";
import type { CompletedSteps } from "./completed-steps.js";
import { StepTable } from "./step-table.js";

/** The state of a run up to `lastEventSeq`. Immutable: `evolve` returns a new one. */
export interface RunState {
  readonly runId: string;
  readonly lastEventSeq: number;
  readonly status: RunStatus;
  /** Number of steps whose current attempt failed. */
  readonly failedSteps: number;
  readonly stepCount: number;
  /** The user's state (D2). */
  readonly userState: Json | undefined;
  /** Number of run-level events by type (K2). */
  readonly ordinals: Readonly<Record<string, number>>;
  /** Fields that rarely change, kept apart so that a step event need not copy them. */
  readonly details: RunDetails;
  readonly steps: StepTable;
}

export type RunDetails = Omit<
  RunHeader,
  "runId" | "lastEventSeq" | "status" | "failedSteps" | "stepCount" | "state" | "ordinals"
>;

export function initialState(runId: string): RunState {
  return {
    runId,
    lastEventSeq: 0,
    status: "PENDING",
    failedSteps: 0,
    stepCount: 0,
    userState: undefined,
    ordinals: {},
    details: { artifacts: [] },
    steps: StepTable.empty(),
  };
}

/** Returns the header row of a state: everything but its steps (F7). `evolve` sets only details that fit the status. */
export function toRunHeader(state: RunState): RunHeader {
  const { runId, lastEventSeq, status, failedSteps, stepCount, ordinals, userState, details } = state;
  const user = omitUndefined({ state: userState });
  return { runId, status, lastEventSeq, ...details, ...user, failedSteps, stepCount, ordinals } as RunHeader;
}

/**
 * Restores a state from a header and rows. Some of the rows are enough: `evolve` touches only the steps that events
 * name (F4).
 */
export function toRunState(
  header: RunHeader,
  rows: Iterable<StepRow>,
  completed: CompletedSteps | null = null,
): RunState {
  const { runId, status, lastEventSeq, state, failedSteps, stepCount, ordinals, ...details } = header;
  const steps = StepTable.of(rows, completed);
  return { runId, lastEventSeq, status, failedSteps, stepCount, userState: state, ordinals, details, steps };
}

export function isTerminal(status: RunStatus): boolean {
  return status === "COMPLETED" || status === "FAILED" || status === "CANCELLED";
}
