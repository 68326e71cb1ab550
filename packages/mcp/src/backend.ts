/** The operations on runs that the tools need. A store or a server provides them, and enforces the roles of the caller. */
import type { CanonicalEngineEvent, Plan, RunHeader, RunStatus, RunSummary, StepRow } from "@runledger/contracts";
import type { Action, RunState } from "@runledger/core";

export interface McpBackend {
  listRuns(filter: RunsFilter, page: RunsPage): Promise<ListedRuns>;
  getRun(runId: string): Promise<RunHeader>;
  /** Returns steps in the order in which the log first names them. */
  listSteps(runId: string, params: { readonly after: number; readonly limit: number }): Promise<readonly StepRow[]>;
  /** Returns a step and the events of its last attempts. */
  getStep(
    runId: string,
    stepId: string,
  ): Promise<{ readonly step: StepRow; readonly events: readonly CanonicalEngineEvent[] }>;
  /** Yields the run's events page by page. */
  readEvents(runId: string): AsyncGenerator<readonly CanonicalEngineEvent[]>;
  /** `null` if the plan is not available. */
  planOf(state: RunState): Promise<{ readonly plan: Plan } | null>;
  why(runId: string): Promise<QueueReasons>;
  diff(runId: string, otherRunId: string): Promise<RunDifference>;
  previewAction(runId: string, action: Action, sender: ActionTarget): Promise<ActionPreview>;
  act(runId: string, action: Action, sender: ActionTarget): Promise<void>;
}

export interface RunsFilter {
  readonly tenantId?: string;
  readonly status?: readonly RunStatus[];
  readonly workflow?: string;
  readonly version?: string;
  readonly projectId?: string;
  readonly environmentId?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly since?: string;
  readonly until?: string;
  readonly error?: string;
  readonly parent?: string;
  readonly schedule?: string;
}

export interface RunsPage {
  readonly limit: number;
  readonly cursor?: string;
}

export interface ListedRuns {
  readonly runs: readonly RunSummary[];
  /** `null` if this is the last page. */
  readonly cursor: string | null;
  /** Explains why no worker can resume a run; `null` if one can. */
  readonly missingWorker: (run: RunSummary) => string | null;
}

/** The queue's view of a run. */
export interface QueueReasons {
  readonly where: string;
  /** Sentences for people. */
  readonly reasons: readonly string[];
  readonly position: number | null;
  readonly expectedAt: string | null;
  readonly owner: string | null;
}

/** One side of a compared step. */
export interface StepOutcome {
  readonly status: string;
  readonly durationMs: number | null;
  readonly attempts: string;
  readonly errorCode?: string | undefined;
}

export interface StepDifference {
  readonly stepId: string;
  readonly one: StepOutcome | null;
  readonly other: StepOutcome | null;
  readonly differs: readonly string[];
}

export interface RunDifference {
  readonly one: DifferingRun;
  readonly other: DifferingRun;
  /** `null` if the inputs are not known. */
  readonly sameInput: boolean | null;
  readonly samePlan: boolean;
  readonly firstDifference: string | null;
  readonly differences: number;
  readonly compared: number;
  /** `false` if not all steps were compared. */
  readonly complete: boolean;
  readonly rows: readonly StepDifference[];
}

export interface DifferingRun {
  readonly runId: string;
  readonly status: string;
  readonly planId?: string;
  readonly planVersion?: string;
  readonly totalDurationMs?: number;
}

export interface ActionTarget {
  readonly stepId?: string;
  /** Makes the action idempotent. */
  readonly signalId?: string;
  /** The sender, for a backend that does not know its caller. */
  readonly by?: string;
}

export interface ActionPreview {
  readonly accepted: boolean;
  readonly reason?: string | undefined;
  readonly runsAgain?: readonly string[] | undefined;
  readonly runsAgainCount?: number | undefined;
  readonly keptCount?: number | undefined;
}
