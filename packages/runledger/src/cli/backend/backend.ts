/** The operations that commands need. A backend works on a store directly, or calls a server. */
import type {
  AccessKey,
  AccessRole,
  CanonicalEngineEvent,
  Json,
  JsonObject,
  Limit,
  LimitTarget,
  Plan,
  RunHeader,
  RunSummary,
  StepRow,
} from "@runledger/contracts";
import type { Action, RunState } from "@runledger/core";
import type { ForkPreview } from "@runledger/runtime/runs/fork-run";
import type { ActionPreview } from "@runledger/runtime/ledger/preview-action";
import type { ListOptions } from "@runledger/runtime/ledger/run-list";
import type { LimitOptions } from "@runledger/runtime/queue/ledger-queue";
import type { CatalogBackend } from "./catalog-backend.js";
import type { DatasetBackend } from "./dataset-backend.js";
import type { OutboxBackend } from "./outbox-backend.js";
import type { PartitionBackend } from "./partition-backend.js";
import type { TriggerBackend } from "./trigger-backend.js";
import type { ScheduleBackend } from "./schedule-backend.js";

export interface Backend extends AsyncDisposable {
  readonly schedules: ScheduleBackend;
  readonly catalog: CatalogBackend;
  readonly outbox: OutboxBackend;
  readonly triggers: TriggerBackend;
  readonly partitions: PartitionBackend;
  readonly datasets: DatasetBackend;
  start(params: StartParams): Promise<StartedRun>;
  listRuns(filter: ListOptions, page: PageParams): Promise<RunListing>;
  /** Yields the run's log page by page until the run finishes or `signal` is aborted. */
  follow(runId: string, signal: AbortSignal): AsyncGenerator<EventPage>;
  /** Yields the events recorded so far. */
  readEvents(runId: string): AsyncGenerator<readonly CanonicalEngineEvent[]>;
  /** Yields the lines that steps printed so far; with `follow`, until the run finishes. */
  readLogs(runId: string, params: LogParams): AsyncGenerator<readonly LogLine[]>;
  /** `null` if the plan is not available. */
  planOf(state: RunState): Promise<KnownPlan | null>;
  /** `no worker for nightly-orders 1.4.0`; `null` if a worker serves the run, or the run is finished. */
  missingWorker(state: RunState): Promise<string | null>;
  /** Returns the run without its steps. A completed run has its output and the artifacts of its steps. */
  getRun(runId: string): Promise<RunHeader>;
  /** Returns steps in the order in which the log first names them. */
  listSteps(runId: string, params: StepsParams): Promise<readonly StepRow[]>;
  /** Returns a step and the events of its last attempts. */
  getStep(runId: string, stepId: string): Promise<StepAttempts>;
  /** Reports what an action would do, without doing it. */
  previewAction(runId: string, action: Action, sender: ActionSender): Promise<ActionPreview>;
  act(runId: string, action: Action, sender: ActionSender): Promise<void>;
  signal(runId: string, name: string, payload: Json, sender: Sender): Promise<void>;
  previewFork(runId: string, params: ForkParams): Promise<ForkPreview>;
  fork(runId: string, params: ForkParams): Promise<StartedRun>;
  /** Erases the payloads of a finished run. */
  erase(runId: string, reason: string): Promise<{ readonly runId: string; readonly events: number }>;
  diff(runId: string, otherRunId: string): Promise<Comparison>;
  listQueue(params: QueueParams): Promise<QueueListing>;
  why(runId: string): Promise<QueueStatus>;
  listLimits(): Promise<readonly Limit[]>;
  setLimit(limit: LimitOptions): Promise<void>;
  removeLimit(target: LimitTarget): Promise<boolean>;
  listKeys(tenantId: string | undefined): Promise<readonly AccessKey[]>;
  createKey(params: KeyParams): Promise<{ readonly key: AccessKey; readonly secret: string }>;
  /** `null` if the key does not exist. */
  revokeKey(keyId: string): Promise<AccessKey | null>;
}

/** New events of a run, and the state folded up to them. Empty if only time has passed. */
export interface EventPage {
  readonly events: readonly CanonicalEngineEvent[];
  readonly state: RunState;
}

export interface StartParams {
  /** `nightly-orders` or `nightly-orders@1.4.0`. */
  readonly workflow: string;
  readonly input: unknown;
  readonly requestId?: string;
  readonly priority?: number;
  readonly concurrencyKey?: string;
  readonly startAt?: string;
  readonly labels?: Readonly<Record<string, string>>;
}

export interface StartedRun {
  readonly runId: string;
  readonly workflow: string;
  readonly version: string;
}

export interface StepsParams {
  /** Only steps with a higher ordinal. */
  readonly after: number;
  readonly limit: number;
}

export interface StepAttempts {
  readonly step: StepRow;
  readonly events: readonly CanonicalEngineEvent[];
}

export interface PageParams {
  readonly limit: number;
  readonly cursor?: string;
}

export interface RunListing {
  readonly runs: readonly RunSummary[];
  readonly cursor: string | null;
  /** Explains why no worker can resume a run; `null` if one can. */
  readonly missingWorker: (run: RunSummary) => string | null;
}

export interface KnownPlan {
  readonly plan: Plan;
  /** JSON Schema of a signal's payload; `null` if the workflow declares none. */
  readonly signalSchema: (name: string, stepPath: string) => JsonObject | null;
}

export interface Sender {
  readonly by?: string;
  readonly signalId?: string;
}

export interface ActionSender extends Sender {
  readonly stepId?: string;
}

export interface ForkParams {
  readonly from: string;
  readonly version?: string;
  readonly input?: Json;
  readonly requestId?: string;
}

export interface LogParams {
  readonly stepId?: string;
  readonly attempt?: number;
  readonly follow: boolean;
  readonly signal: AbortSignal;
}

export interface LogLine {
  readonly at: string;
  readonly from: string;
  readonly text: string;
  /** The fields of `ctx.log`. */
  readonly fields?: Readonly<Record<string, unknown>>;
  readonly stepId?: string;
  readonly attempt?: number;
}

export interface ComparedStep {
  readonly status: string;
  readonly durationMs: number | null;
  readonly attempts: string;
  readonly errorCode?: string | undefined;
}

export interface Comparison {
  readonly one: ComparedRun;
  readonly other: ComparedRun;
  readonly sameInput: boolean | null;
  readonly samePlan: boolean;
  readonly firstDifference: string | null;
  readonly differences: number;
  readonly compared: number;
  readonly complete: boolean;
  readonly rows: readonly {
    readonly stepId: string;
    readonly one: ComparedStep | null;
    readonly other: ComparedStep | null;
    readonly differs: readonly string[];
  }[];
}

interface ComparedRun {
  readonly runId: string;
  readonly status: string;
  readonly planId?: string;
  readonly planVersion?: string;
  readonly totalDurationMs?: number;
}

export interface QueueParams {
  readonly tenantId?: string;
  readonly after?: string;
  readonly limit: number;
}

export interface QueueStatus {
  readonly runId: string;
  readonly where: string;
  /** Sentences for people. */
  readonly reasons: readonly string[];
  readonly position: number | null;
  readonly expectedAt: string | null;
  readonly planId: string;
  readonly planVersion: string;
  readonly queuedAt: string | null;
  readonly owner: string | null;
}

export interface QueueListing {
  readonly items: readonly QueueStatus[];
  readonly next: string | null;
}

export interface KeyParams {
  readonly name: string;
  readonly role: AccessRole;
  /** Defaults to the caller's tenant. */
  readonly tenantId?: string;
  readonly ttlMs: number | null;
}
