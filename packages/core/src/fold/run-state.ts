import type { Json, RunHeader, RunStatus, StepRow } from "@runledger/contracts";
import type { CompletedSteps } from "./completed-steps.js";
import { StepTable } from "./step-table.js";

/** What the log says of a run up to `lastEventSeq`. Immutable: `evolve` gives a new one. */
export interface RunState {
  readonly runId: string;
  readonly lastEventSeq: number;
  readonly status: RunStatus;
  /** Steps whose current attempt failed. */
  readonly failedSteps: number;
  readonly stepCount: number;
  /** The user's state (D2). */
  readonly userState: Json | undefined;
  /** Run-level events by type (K2). */
  readonly ordinals: Readonly<Record<string, number>>;
  /** What seldom changes, kept apart so that a step event does not copy it. */
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

/** The header row of a state: everything but its steps (F7). */
export function toRunHeader(state: RunState): RunHeader {
  const { runId, lastEventSeq, status, failedSteps, stepCount, ordinals, userState, details } = state;
  const user = userState === undefined ? {} : { state: userState };
  return { runId, status, lastEventSeq, ...details, ...user, failedSteps, stepCount, ordinals };
}

/** The state that a header and rows stand for. Rows may be a part of the steps: `evolve` touches only named ones (F4). */
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
