/** What commands ask for, whoever answers: a store that they open themselves, or a server. */
import type {
  AccessKey,
  AccessRole,
  CanonicalEngineEvent,
  Json,
  JsonObject,
  Limit,
  LimitTarget,
  Plan,
  RunSummary,
} from "@runledger/contracts";
import type { Action, RunState } from "@runledger/core";
import type { ForkPreview } from "../../ledger/fork-run.js";
import type { ListOptions } from "../../ledger/run-list.js";
import type { LimitOptions } from "../../queue/ledger-queue.js";
import type { ScheduleDesk } from "./schedule-desk.js";

export interface Desk extends AsyncDisposable {
  readonly schedules: ScheduleDesk;
  start(order: StartOrder): Promise<Started>;
  listRuns(filter: ListOptions, page: PageOrder): Promise<ListedRuns>;
  /** The log of a run, page by page, until it has ended or the caller has had enough. */
  follow(runId: string, enough: AbortSignal): AsyncGenerator<Page>;
  /** What is recorded by now. */
  readEvents(runId: string): AsyncGenerator<readonly CanonicalEngineEvent[]>;
  /** What steps have printed by now; with `follow`, until the run has ended. */
  readLogs(runId: string, order: LogOrder): AsyncGenerator<readonly PrintedLine[]>;
  /** Null = nobody knows it. */
  planOf(state: RunState): Promise<KnownPlan | null>;
  /** `no worker for nightly-orders 1.4.0`; null = there is one, or none is needed any more. */
  missingWorker(state: RunState): Promise<string | null>;
  /** What a run that completed has given. */
  outputOf(state: RunState, completed: CanonicalEngineEvent): Promise<Json | undefined>;
  act(runId: string, action: Action, sender: ActionSender): Promise<void>;
  signal(runId: string, name: string, payload: Json, sender: Sender): Promise<void>;
  previewFork(runId: string, order: ForkOrder): Promise<ForkPreview>;
  fork(runId: string, order: ForkOrder): Promise<Started>;
  diff(runId: string, otherRunId: string): Promise<Comparison>;
  listQueue(order: QueueOrder): Promise<QueueListing>;
  why(runId: string): Promise<QueueStanding>;
  listLimits(): Promise<readonly Limit[]>;
  setLimit(limit: LimitOptions): Promise<void>;
  removeLimit(target: LimitTarget): Promise<boolean>;
  listKeys(tenantId: string | undefined): Promise<readonly AccessKey[]>;
  createKey(order: KeyOrder): Promise<{ readonly key: AccessKey; readonly secret: string }>;
  /** Null = there is no such key. */
  revokeKey(keyId: string): Promise<AccessKey | null>;
}

/** Some more of a run's log, and what the whole log says up to there. Empty = nothing new, but time has passed. */
export interface Page {
  readonly events: readonly CanonicalEngineEvent[];
  readonly state: RunState;
}

export interface StartOrder {
  /** `nightly-orders` or `nightly-orders@1.4.0`. */
  readonly workflow: string;
  readonly input: unknown;
  readonly requestId?: string;
  readonly priority?: number;
  readonly concurrencyKey?: string;
  readonly startAt?: string;
}

export interface Started {
  readonly runId: string;
  readonly workflow: string;
  readonly version: string;
}

export interface PageOrder {
  readonly limit: number;
  readonly cursor?: string;
}

export interface ListedRuns {
  readonly runs: readonly RunSummary[];
  readonly cursor: string | null;
  /** Why nobody goes on with one of them; null = somebody can. */
  readonly missing: (run: RunSummary) => string | null;
}

export interface KnownPlan {
  readonly plan: Plan;
  /** What a signal's payload looks like; null = nobody says. */
  readonly signalSchema: (name: string, stepPath: string) => JsonObject | null;
}

export interface Sender {
  readonly by?: string;
  readonly signalId?: string;
}

export interface ActionSender extends Sender {
  readonly stepId?: string;
}

export interface ForkOrder {
  readonly from: string;
  readonly version?: string;
  readonly input?: Json;
  readonly requestId?: string;
}

export interface LogOrder {
  readonly stepId?: string;
  readonly attempt?: number;
  readonly follow: boolean;
  readonly enough: AbortSignal;
}

export interface PrintedLine {
  readonly at: string;
  readonly from: string;
  readonly text: string;
  readonly stepId?: string;
  readonly attempt?: number;
}

export interface ComparedSide {
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
    readonly one: ComparedSide | null;
    readonly other: ComparedSide | null;
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

export interface QueueOrder {
  readonly tenantId?: string;
  readonly after?: string;
  readonly limit: number;
}

export interface QueueStanding {
  readonly runId: string;
  readonly where: string;
  /** In words. */
  readonly reasons: readonly string[];
  readonly position: number | null;
  readonly expectedAt: string | null;
  readonly planId: string;
  readonly planVersion: string;
  readonly queuedAt: string | null;
  readonly owner: string | null;
}

export interface QueueListing {
  readonly items: readonly QueueStanding[];
  readonly next: string | null;
}

export interface KeyOrder {
  readonly name: string;
  readonly role: AccessRole;
  /** Absent = the caller's own. */
  readonly tenantId?: string;
  readonly ttlMs: number | null;
}
