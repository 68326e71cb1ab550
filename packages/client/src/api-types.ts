/** Made from the OpenAPI document by tests/repository/api-document.test.ts; not written by hand. */

import type { Json } from "@runledger/contracts";

/** An API key without its secret */
export interface AccessKey {
  readonly keyId: string;
  /** `*` = any tenant */
  readonly tenantId: string;
  readonly role: "viewer" | "operator" | "engineer" | "admin";
  readonly name: string;
  /** ISO 8601, UTC */
  readonly createdAt: string;
  readonly createdBy: string;
  readonly expiresAt: string | null;
  readonly revokedAt: string | null;
  /** To the minute */
  readonly lastUsedAt: string | null;
}

export interface AccessKeyPage {
  readonly items: readonly AccessKey[];
  /** What `after` has to be for the next page; null = this is the last one */
  readonly next: string | null;
}

export interface AccessKeyRequest {
  readonly name: string;
  readonly role: "viewer" | "operator" | "engineer" | "admin";
  /** Default: it does not expire */
  readonly expiresInDays?: number;
}

export interface ActionOutcome {
  readonly runId: string;
  readonly action: "approve" | "pause" | "resume" | "cancel" | "retry" | "skip";
  readonly accepted: boolean;
  readonly dryRun: boolean;
  /** Why it would not be accepted */
  readonly reason?: string;
  readonly signalId?: string;
  /** Of a retry: the first 1000 steps that run again */
  readonly runsAgain?: readonly string[];
  readonly runsAgainCount?: number;
  /** Of a retry: completed steps that stay as they are */
  readonly keptCount?: number;
}

export interface ActionRequest {
  /** The step to retry or to skip */
  readonly stepId?: string;
  /** Makes the call idempotent: one answer per id. Default: an id of its own */
  readonly signalId?: string;
  /** True = says what would happen, and does nothing */
  readonly dryRun?: boolean;
}

export interface Alert {
  /** ISO 8601, UTC */
  readonly at: string;
  readonly code: string;
  /** P1 = somebody must act; P2 = somebody should know */
  readonly severity: "P1" | "P2";
  readonly message: string;
  readonly runId?: string;
  /** What to do */
  readonly remedy: string;
}

export interface ArtifactPage {
  readonly items: readonly StoredArtifact[];
  /** What `after` has to be for the next page; null = this is the last one */
  readonly next: string | null;
}

export interface ArtifactRef {
  readonly uri: string;
  readonly kind: string;
  readonly sha256?: string;
  readonly sizeBytes?: number;
  /** ISO 8601, UTC */
  readonly expiresAt?: string;
}

export interface AuditEntry {
  readonly auditId: number;
  /** ISO 8601, UTC */
  readonly at: string;
  readonly tenantId: string | null;
  readonly actor: string;
  readonly action: string;
  readonly target: string;
  readonly outcome: "allowed" | "denied";
  readonly code: string | null;
  readonly requestId: string;
  readonly address: string;
}

export interface AuditPage {
  readonly items: readonly AuditEntry[];
  /** What `after` has to be for the next page; null = this is the last one */
  readonly next: string | null;
}

/** The times of the range, and their runs */
export interface BackfillOutcome {
  readonly dryRun: boolean;
  readonly items: readonly BackfillTick[];
}

export interface BackfillRequest {
  /** The first time of the range */
  readonly from: string;
  /** Its end, which is not part of it. Default: now */
  readonly to?: string;
  /** True = says which times have no run, and starts nothing */
  readonly dryRun?: boolean;
}

export interface BackfillTick {
  /** ISO 8601, UTC */
  readonly tick: string;
  /** Null = it has none yet, and would get one */
  readonly runId: string | null;
  /** This call has started it */
  readonly started: boolean;
}

export interface BulkItem {
  readonly runId: string;
  readonly accepted: boolean;
  /** Why it was not accepted, or would not be */
  readonly reason?: string;
  readonly code?: string;
  /** Of a retry that is looked at: steps that run again */
  readonly runsAgainCount?: number;
  readonly keptCount?: number;
}

export interface BulkOutcome {
  readonly action: "pause" | "resume" | "cancel" | "retry";
  readonly dryRun: boolean;
  readonly accepted: number;
  readonly refused: number;
  /** True = more runs fit the filter than were looked at */
  readonly more: boolean;
  readonly items: readonly BulkItem[];
}

export interface BulkRequest {
  readonly action: "pause" | "resume" | "cancel" | "retry";
  /** These runs */
  readonly runIds?: readonly string[];
  /** The newest 500 runs that fit, where no ids are given; look at them with `dryRun` first */
  readonly filter?: RunFilter;
  /** True = says what would happen to each, and does nothing */
  readonly dryRun?: boolean;
  /** Makes the call idempotent: one answer per id and run */
  readonly requestId?: string;
}

/** Everything that is stored has been sent */
export interface CaughtUp {
  readonly runId: string;
  readonly headSeq: number;
  /** True = the run has ended */
  readonly ended: boolean;
}

export interface CreatedAccessKey {
  readonly key: AccessKey;
  /** Shown once; it cannot be found out again */
  readonly secret: string;
}

export interface DiffRow {
  readonly stepId: string;
  /** Null = this run has no such step */
  readonly one: DiffSide | null;
  readonly other: DiffSide | null;
  /** In what they differ; how long they took is no difference */
  readonly differs: readonly ("presence" | "status" | "error" | "attempts")[];
}

export interface DiffSide {
  readonly status: "PENDING" | "RUNNING" | "SUCCESS" | "FAILED" | "SKIPPED";
  readonly durationMs: number | null;
  readonly attempts: string;
  readonly errorCode?: string;
}

export interface EventPage {
  readonly items: readonly RunEvent[];
  /** What `after` has to be for the next page; null = this is the last one */
  readonly next: string | null;
}

export interface ForkOutcome {
  readonly dryRun: boolean;
  /** The new run; absent = nothing was started */
  readonly runId?: string;
  readonly created?: boolean;
  readonly origin: {
    readonly runId: string;
    readonly seq: number;
    readonly from: string;
  };
  readonly workflow: string;
  readonly version: string;
  readonly kept: readonly StepRange[];
  /** Containers that go on with what their closures once returned */
  readonly goesOn: readonly StepRange[];
  /** What runs, as far as it is known */
  readonly runs: readonly StepRange[];
}

export interface ForkRequest {
  /** The step that runs first, with all that depends on it */
  readonly from: string;
  /** Another version of the same workflow. Default: the run's own */
  readonly version?: string;
  /** Default: the run's own */
  readonly input?: Json;
  /** Makes the fork idempotent */
  readonly requestId?: string;
  /** True = says what would be kept and run, and does nothing */
  readonly dryRun?: boolean;
}

export interface Health {
  /** ISO 8601, UTC */
  readonly at: string;
  readonly version: string;
  /** Since this process was started */
  readonly upSeconds: number;
  readonly ready: boolean;
  readonly notReady: readonly {
    readonly part: string;
    readonly reason: string;
  }[];
  readonly store: {
    /** Null = it does not answer */
    readonly roundTripMs: number | null;
  };
  /** Null = this process runs no steps, or the caller may not act for all tenants */
  readonly appends: {
    /** Events that this process has appended; two answers give a rate */
    readonly total: number;
    /** The bucket that half of the appends were within */
    readonly p50Ms: number | null;
    readonly p99Ms: number | null;
  } | null;
  /** Null = another process does it */
  readonly projector: {
    readonly lagSeconds: number;
    readonly backlogRuns: number;
    readonly staleRuns: number;
    /** Null = the caller may not act for all tenants */
    readonly eventsTotal: number | null;
    readonly p99LagMs: number | null;
  } | null;
  readonly workers: {
    readonly alive: number;
    readonly lost: number;
  };
  /** Null = the caller may not act for all tenants */
  readonly openStreams: number | null;
  /** The last 100 of this process, newest first */
  readonly alerts: readonly Alert[];
}

export interface Limit {
  readonly scope: "overall" | "tenant" | "project" | "workflow" | "concurrencyKey";
  /** Overall: empty. Tenant and workflow: the id. Project and concurrency key: tenant|id. `*` = every one that has no limit of its own */
  readonly subject: string;
  /** Runs that run at a time; null = any number */
  readonly maxRunning: number | null;
  /** In any stretch of `perMs` at most so many begin; null = any number */
  readonly rate: {
    readonly starts: number;
    readonly perMs: number;
  } | null;
  /** Runs that may wait; one more is refused. Null = any number */
  readonly maxQueued: number | null;
  /** Of a tenant: who is served first. Of a project or workflow: added to that of its runs */
  readonly priority: number | null;
}

export interface LimitList {
  readonly items: readonly Limit[];
}

export interface LimitRemoved {
  /** False = there was none */
  readonly removed: boolean;
}

/** All of a limit: what is left out is not limited */
export interface LimitRequest {
  readonly scope: "overall" | "tenant" | "project" | "workflow" | "concurrencyKey";
  /** Overall: empty. Tenant and workflow: the id. Project and concurrency key: tenant|id. `*` = every one that has no limit of its own */
  readonly subject: string;
  /** Runs that run at a time; null = any number */
  readonly maxRunning?: number | null;
  /** In any stretch of `perMs` at most so many begin; null = any number */
  readonly rate?: {
    readonly starts: number;
    readonly perMs: number;
  } | null;
  /** Runs that may wait; one more is refused. Null = any number */
  readonly maxQueued?: number | null;
  /** Of a tenant: who is served first. Of a project or workflow: added to that of its runs */
  readonly priority?: number | null;
}

/** Lines that were found together */
export interface LogBatch {
  readonly lines: readonly LogLine[];
}

export interface LogLine {
  /** ISO 8601, UTC */
  readonly at: string;
  readonly from: "stdout" | "stderr" | "log";
  readonly text: string;
  readonly fields?: { readonly [key: string]: Json };
  readonly stepId?: string;
  readonly attempt?: number;
}

export interface LogPage {
  readonly items: readonly LogLine[];
  /** What `after` has to be for the next page; null = this is the last one */
  readonly next: string | null;
}

/** The run has ended, and everything was sent */
export interface LogsEnded {}

export interface Me {
  readonly name: string;
  /** The tenant that calls are about */
  readonly tenantId: string;
  readonly role: "viewer" | "operator" | "engineer" | "admin";
  /** True = the header Runledger-Tenant chooses another tenant */
  readonly allTenants: boolean;
}

export interface PendingSignal {
  readonly signalId: string;
  readonly name: string;
}

export interface PlanRef {
  readonly planId: string;
  readonly planVersion: string;
}

/** Why a request was not done (RFC 9457) */
export interface Problem {
  /** Where the code is explained */
  readonly type: string;
  readonly title: string;
  readonly status: number;
  /** What happened and what to do */
  readonly detail: string;
  /** Stable: what a program looks at */
  readonly code: string;
  /** What the caller should do */
  readonly family: "retry" | "fix-input" | "stop";
  readonly requestId: string;
  /** The part of the request to change */
  readonly field?: string;
  /** Everything that is wrong with a workflow */
  readonly problems?: readonly {
    readonly code: string;
    readonly step: string;
    readonly message: string;
    readonly origin?: string;
  }[];
  /** When it may work, as Retry-After says it */
  readonly retryAfterSeconds?: number;
  /** Where the run stands, if that was not expected */
  readonly headSeq?: number;
}

export interface PublishedWorkflow {
  readonly workflowId: string;
  readonly version: string;
  /** Of its steps and options, without its schemas */
  readonly hash: string;
  /** False = the same was published before */
  readonly created: boolean;
  /** ISO 8601, UTC */
  readonly publishedAt: string;
  /** Kinds of steps in it that run only on workers that allow them: command, sql */
  readonly needsPermission: readonly string[];
}

/** Of the caller's tenant: not begun, running, and begun without a slot */
export interface QueueCounts {
  readonly queued: number;
  readonly running: number;
  readonly waiting: number;
}

export interface QueuePage {
  readonly items: readonly QueuedRun[];
  /** What `after` has to be for the next page; null = this is the last one */
  readonly next: string | null;
  readonly counts: QueueCounts;
}

/** A run as it stands in the queue */
export interface QueuedRun {
  readonly runId: string;
  readonly where: "queued" | "running" | "answering" | "waiting" | "ended";
  /** Why it does not run; none = a worker has it, or takes it next */
  readonly reasons: readonly WaitReason[];
  /** 1 = it is next; null = it does not wait for its turn */
  readonly position: number | null;
  /** As fast as runs begin of late; null = nobody can tell */
  readonly expectedAt: string | null;
  readonly planId: string;
  readonly planVersion: string;
  readonly projectId: string;
  readonly concurrencyKey: string | null;
  readonly priority: number;
  readonly queuedAt: string | null;
  /** Null = it is queued */
  readonly startedAt: string | null;
  readonly dueAt: string | null;
  /** The worker that has it */
  readonly owner: string | null;
}

/** A run that cannot be watched; the others are */
export interface RefusedRun {
  readonly runId: string;
  readonly problem: Problem;
}

/** A run as it is known at one seq, without its steps */
export interface Run {
  readonly runId: string;
  readonly status: "PENDING" | "APPROVED" | "RUNNING" | "PAUSED" | "COMPLETED" | "FAILED" | "CANCELLED";
  /** The highest seq that this shows */
  readonly lastEventSeq: number;
  /** True = the log holds more than this shows */
  readonly stale?: boolean;
  readonly artifacts: readonly ArtifactRef[];
  /** ISO 8601, UTC */
  readonly startedAt?: string;
  /** ISO 8601, UTC */
  readonly completedAt?: string;
  readonly totalDurationMs?: number;
  readonly planId?: string;
  readonly planVersion?: string;
  readonly logFormat?: number;
  readonly tenantId?: string;
  readonly projectId?: string;
  readonly environmentId?: string;
  readonly runRequestId?: string;
  readonly priority?: number;
  readonly concurrencyKey?: string;
  readonly labels?: { readonly [key: string]: string };
  readonly parent?: {
    readonly runId: string;
    readonly stepId: string;
  };
  readonly schedule?: {
    readonly scheduleId: string;
    readonly tick: string;
  };
  /** Who started it; absent = nobody has said */
  readonly startedBy?: string;
  /** ISO 8601, UTC */
  readonly deadlineAt?: string;
  readonly engineRunRef?: Json;
  readonly error?: RunError;
  /** The step because of which the run failed */
  readonly culprit?: string;
  readonly output?: Json;
  /** The user's state after every patch so far */
  readonly state?: Json;
  readonly leaseEpoch?: number;
  readonly failedSteps: number;
  readonly stepCount: number;
  /** What steps wait for, `signal <name>` or `timer`, and how many of them */
  readonly waits?: { readonly [key: string]: number };
  readonly signals?: readonly PendingSignal[];
  readonly recentSignals?: readonly string[];
  readonly actions?: readonly {
    readonly signalId: string;
    readonly name: string;
    readonly stepId?: string;
  }[];
  /** Run-level events by type: the fold goes on from them */
  readonly ordinals: { readonly [key: string]: number };
}

export interface RunCounts {
  readonly PENDING: number;
  readonly APPROVED: number;
  readonly RUNNING: number;
  readonly PAUSED: number;
  readonly COMPLETED: number;
  readonly FAILED: number;
  readonly CANCELLED: number;
}

/** The steps of two runs, aligned */
export interface RunDiff {
  readonly one: Run;
  readonly other: Run;
  /** Null = one of them was not started by a ledger */
  readonly sameInput: boolean | null;
  readonly samePlan: boolean;
  /** The step where they part; null = nowhere */
  readonly firstDifference: string | null;
  /** How many steps differ, of those that were compared */
  readonly differences: number;
  readonly compared: number;
  /** False = a run has more steps than are compared (20,000) */
  readonly complete: boolean;
  readonly items: readonly DiffRow[];
  /** What `after` has to be for the next page; null = this is the last */
  readonly next: string | null;
}

export interface RunEnded {
  readonly runId: string;
  readonly runSeq: number;
}

export interface RunError {
  readonly code: string;
  readonly message: string;
  readonly retryable: boolean;
}

/** One line of a run's log */
export interface RunEvent {
  readonly runId: string;
  readonly runSeq: number;
  readonly eventId: string;
  readonly eventType: string;
  readonly stepId?: string;
  readonly engineAttemptId?: string;
  readonly logicalAttemptId?: string;
  readonly eventData: Json;
  readonly idempotencyKey: string;
  /** ISO 8601, UTC */
  readonly emittedAt: string;
  /** ISO 8601, UTC */
  readonly persistedAt?: string;
  readonly adapterVersion?: string;
  readonly engineRunRef?: Json;
  readonly causedBySignalId?: string;
  readonly parentEventId?: string;
  readonly planId?: string;
  readonly planVersion?: string;
}

export interface RunFilter {
  readonly workflow?: string;
  readonly project?: string;
  readonly environment?: string;
  readonly status?: readonly ("PENDING" | "APPROVED" | "RUNNING" | "PAUSED" | "COMPLETED" | "FAILED" | "CANCELLED")[];
  readonly version?: string;
  readonly labels?: readonly string[];
  readonly createdFrom?: string;
  /** Created before */
  readonly createdTo?: string;
  /** Occurs in the failing step, the error's code or message */
  readonly error?: string;
  /** Children of this run */
  readonly parent?: string;
  readonly schedule?: string;
}

/** Runs by when they were created and the status that they have now */
export interface RunHistogram {
  readonly bars: readonly {
    /** ISO 8601, UTC */
    readonly at: string;
    readonly counts: RunCounts;
  }[];
}

/** Something that happened to a run as a whole while it ran */
export interface RunLandmark {
  readonly runSeq: number;
  readonly eventType: string;
  /** ISO 8601, UTC */
  readonly emittedAt: string;
  readonly workerId?: string;
  readonly epoch?: number;
}

/** Runs that are new or have changed, and ids of those that left the list */
export interface RunListChange {
  readonly runs: readonly RunSummary[];
  readonly gone: readonly string[];
}

export interface RunListSnapshot {
  readonly runs: readonly RunSummary[];
}

/** A run of any size as it was known at one seq */
export interface RunOutline {
  readonly run: Run;
  /** Those that are in no container */
  readonly steps: readonly Step[];
  /** False = there are more than 2,000 of them */
  readonly complete: boolean;
  readonly groups: readonly StepGroup[];
  /** Take-overs, pauses, resumptions, reopenings and resets: the last 100 of each, by seq */
  readonly landmarks: readonly RunLandmark[];
}

export interface RunPage {
  readonly items: readonly RunSummary[];
  /** What `after` has to be for the next page; null = this is the last one */
  readonly next: string | null;
}

/** What a run follows */
export interface RunPlan {
  readonly planId: string;
  readonly planVersion: string;
  /** Of the plan's content */
  readonly hash: string;
  /** Its steps, as they were compiled */
  readonly body: { readonly [key: string]: Json };
  readonly deadlineMs: number | null;
  /** True = a run waits for an operator before it starts */
  readonly approval: boolean;
  /** JSON Schema; null = not known to this server */
  readonly inputSchema: { readonly [key: string]: Json } | null;
  /** JSON Schema by the signal's name */
  readonly signalSchemas: { readonly [key: string]: { readonly [key: string]: Json } | null };
}

/** A run as a list shows it */
export interface RunSummary {
  readonly runId: string;
  readonly status: "PENDING" | "APPROVED" | "RUNNING" | "PAUSED" | "COMPLETED" | "FAILED" | "CANCELLED";
  readonly lastEventSeq: number;
  readonly tenantId: string;
  /** ISO 8601, UTC */
  readonly createdAt: string;
  /** ISO 8601, UTC */
  readonly startedAt?: string;
  /** ISO 8601, UTC */
  readonly completedAt?: string;
  readonly totalDurationMs?: number;
  readonly planId?: string;
  readonly planVersion?: string;
  readonly projectId?: string;
  readonly environmentId?: string;
  readonly runRequestId?: string;
  readonly priority?: number;
  readonly labels?: { readonly [key: string]: string };
  readonly parent?: {
    readonly runId: string;
    readonly stepId: string;
  };
  readonly schedule?: {
    readonly scheduleId: string;
    readonly tick: string;
  };
  /** Who started it; absent = nobody has said */
  readonly startedBy?: string;
  /** The step because of which the run failed */
  readonly culprit?: string;
  readonly error?: RunError;
  /** `approval`: it begins when somebody approves. `signal <name>`, `timer`, several with commas: what steps of a run that has begun wait for; others may be at work */
  readonly waitsFor?: string;
  /** True = the log holds more than this shows */
  readonly stale?: boolean;
}

export interface Schedule {
  readonly scheduleId: string;
  readonly workflow: string;
  readonly version: string;
  readonly timing: ScheduleTiming;
  readonly input?: Json;
  readonly projectId: string;
  readonly environmentId: string;
  readonly priority: number;
  readonly concurrencyKey?: string;
  readonly labels?: { readonly [key: string]: string };
  readonly catchUp: "none" | "latest" | "all";
  readonly catchUpLimit: number;
  readonly overlap: "allow" | "skip" | "queue" | "cancel";
  readonly jitterMs: number;
  /** Null = it is not paused */
  readonly pausedAt: string | null;
  /** The time it is about next; null = there is none any more */
  readonly nextTick: string | null;
  /** When a scheduler looks at it next; null = never */
  readonly dueAt: string | null;
  /** True = its time has come and waits for an open run to end */
  readonly waiting: boolean;
  /** What became of the last time */
  readonly last: {
    /** ISO 8601, UTC */
    readonly tick: string;
    readonly outcome: "started" | "skipped" | "missed";
    /** The run that was started, or was in the way */
    readonly runId?: string;
  } | null;
}

export interface SchedulePage {
  readonly items: readonly Schedule[];
  /** What `after` has to be for the next page; null = this is the last one */
  readonly next: string | null;
}

export interface ScheduleRequest {
  /** The workflow's id */
  readonly workflow: string;
  /** Default: the one that was published last */
  readonly version?: string;
  readonly input?: Json;
  /** Five fields; six with seconds in front */
  readonly cron?: string;
  /** Of `cron`. Default UTC */
  readonly timeZone?: string;
  /** A fixed distance, at least a second */
  readonly every?: string;
  /** The first time of `every` */
  readonly from?: string;
  /** Once */
  readonly at?: string;
  readonly projectId?: string;
  readonly environmentId?: string;
  readonly priority?: number;
  readonly concurrencyKey?: string;
  readonly labels?: { readonly [key: string]: string };
  /** Times that passed while no scheduler was there */
  readonly catchUp?: "none" | "latest" | "all";
  /** Default 100 */
  readonly catchUpLimit?: number;
  /** While a run is still open. Default skip */
  readonly overlap?: "allow" | "skip" | "queue" | "cancel";
  /** Fires up to this much later, always by the same amount */
  readonly jitter?: string;
}

/** When it fires next, ascending */
export interface ScheduleTimes {
  readonly times: readonly string[];
  readonly timeZone: string;
}

/** `cron` and `timeZone`, `everyMs` and `from`, or `at` */
export interface ScheduleTiming {
  readonly cron?: string;
  readonly timeZone?: string;
  readonly everyMs?: number;
  /** ISO 8601, UTC */
  readonly from?: string;
  /** ISO 8601, UTC */
  readonly at?: string;
}

export interface SessionRequest {
  /** An API key, a JWT, or the data directory's token */
  readonly token: string;
}

export interface SignalOutcome {
  readonly runId: string;
  readonly name: string;
  readonly signalId: string;
}

export interface SignalRequest {
  /** Default: null */
  readonly payload?: Json;
  /** Makes the call idempotent: one answer per id. Default: an id of its own */
  readonly signalId?: string;
}

export interface StartManyOutcome {
  /** One for each start, in their order */
  readonly outcomes: readonly StartOutcome[];
}

export interface StartManyRequest {
  readonly starts: readonly StartRequest[];
}

/** The run, or why there is none */
export interface StartOutcome {
  readonly run?: StartedRun;
  readonly problem?: Problem;
}

export interface StartRequest {
  /** The workflow's id */
  readonly workflow: string;
  /** Default: the one that was published last */
  readonly version?: string;
  readonly input?: Json;
  /** Makes the start idempotent: the same request gives the same run */
  readonly requestId?: string;
  readonly projectId?: string;
  readonly environmentId?: string;
  readonly priority?: number;
  /** Of the tenant's runs that share it one runs at a time, or as many as its limit says */
  readonly concurrencyKey?: string;
  /** It does not begin before */
  readonly startAt?: string;
  /** The request starts one run, whichever version is asked for it */
  readonly dedupe?: "workflow";
  readonly labels?: { readonly [key: string]: string };
}

export interface StartedRun {
  readonly runId: string;
  /** False = the same request had started it before */
  readonly created: boolean;
  readonly workflow: string;
  readonly version: string;
  /** Of a new run: it may run at once, waits in the queue, or begins later */
  readonly admission?: "ACCEPT" | "QUEUE" | "DELAY";
  /** Of DELAY: when it begins */
  readonly startAt?: string;
}

/** A step of a run as it is known at one seq */
export interface Step {
  /** Its place in the run: the order in which steps were first named */
  readonly ordinal: number;
  readonly stepId: string;
  readonly status: "PENDING" | "RUNNING" | "SUCCESS" | "FAILED" | "SKIPPED";
  readonly logicalAttemptId: string;
  readonly engineAttemptId?: string;
  /** ISO 8601, UTC */
  readonly startedAt?: string;
  /** ISO 8601, UTC */
  readonly completedAt?: string;
  readonly artifacts: readonly ArtifactRef[];
  readonly error?: RunError;
  /** ISO 8601, UTC */
  readonly retryAt?: string;
  readonly reason?: string;
  readonly culprit?: string;
  readonly takeOvers?: number;
  /** What a container's closure returned */
  readonly opened?: { readonly [key: string]: Json };
  /** While it is open: `signal <name>` or `timer` */
  readonly waitsFor?: string;
  readonly again?: boolean;
  readonly endedSeq?: number;
  readonly budgetFrom?: number;
}

export interface StepDetail {
  readonly step: Step;
  /** What happened in each of its attempts, oldest first, with payloads */
  readonly events: readonly RunEvent[];
}

/** How many of the steps inside a container are what */
export interface StepGroup {
  /** The container */
  readonly stepId: string;
  readonly done: number;
  readonly failed: number;
  readonly running: number;
  readonly waiting: number;
  readonly skipped: number;
}

export interface StepPage {
  readonly items: readonly Step[];
  /** What `after` has to be for the next page; null = this is the last one */
  readonly next: string | null;
}

/** A step, or the items `from` to `to` of one step inside a container */
export type StepRange =
  | string
  | {
      readonly container: string;
      readonly from: number;
      readonly to: number;
      readonly step: string;
    };

export interface StoredArtifact {
  readonly artifactId: string;
  readonly uri: string;
  readonly kind: string;
  /** Absent = it belongs to the run as a whole */
  readonly stepId?: string;
  readonly attempt?: number;
  /** Absent = it is still being written */
  readonly sha256?: string;
  readonly sizeBytes?: number;
  /** ISO 8601, UTC */
  readonly createdAt: string;
}

export interface TimesRequest {
  /** Five fields; six with seconds in front */
  readonly cron?: string;
  /** Of `cron`. Default UTC */
  readonly timeZone?: string;
  /** A fixed distance, at least a second */
  readonly every?: string;
  /** The first time of `every` */
  readonly from?: string;
  /** Once */
  readonly at?: string;
  /** Default 5 */
  readonly count?: number;
}

export interface UnservedPlan {
  readonly planId: string;
  readonly planVersion: string;
  readonly logFormat: number;
  readonly missing: "plan" | "logFormat";
  /** Null = the caller may not act for all tenants */
  readonly openRuns: number | null;
  readonly reason: string;
}

export interface WaitReason {
  readonly kind: "delayed" | "paused" | "approval" | "signal" | "timer" | "child" | "worker" | "limit" | "turn";
  /** In words */
  readonly text: string;
  /** When that is over by itself */
  readonly until?: string | null;
  readonly stepId?: string;
  readonly signal?: string;
  /** Of a child */
  readonly runId?: string;
  /** So many others are served first */
  readonly ahead?: number;
  readonly target?: {
    readonly scope: "overall" | "tenant" | "project" | "workflow" | "concurrencyKey";
    readonly subject: string;
  };
  readonly what?: "running" | "rate";
  /** Of a limit */
  readonly value?: number;
  /** Some of the caller's runs that hold the limit */
  readonly holders?: readonly string[];
  /** When a rate lets another one begin */
  readonly freeAt?: string | null;
  readonly message?: string;
}

export interface WatchRequest {
  /** Each with the seq behind which its events begin; 0 = all of them */
  readonly runs?: { readonly [key: string]: number };
  /** Each under a name by which its messages say whose they are */
  readonly lists?: {
    readonly [key: string]: {
      /** Absent = all runs */
      readonly filter?: RunFilter;
      /** The `place` of the list's last message */
      readonly after?: string;
    };
  };
  /** false = events without inputs, outputs, signal payloads, patches and state */
  readonly payloads?: boolean;
}

export interface WatchedListChange {
  readonly runs: readonly RunSummary[];
  readonly gone: readonly string[];
  readonly list: string;
  /** What `after` has to be to go on from here */
  readonly place: string;
}

export interface WatchedListSnapshot {
  readonly runs: readonly RunSummary[];
  readonly list: string;
  /** What `after` has to be to go on from here */
  readonly place: string;
}

/** A worker as its heartbeats describe it */
export interface WorkerInfo {
  readonly workerId: string;
  readonly alive: boolean;
  /** It counts as lost from here on, unless it says something before */
  readonly expiresAt: string;
  /** Null = not known */
  readonly lastHeartbeatAt: string | null;
  /** The newest format of logs that it reads */
  readonly logFormat: number;
  /** What it can run */
  readonly plans: readonly PlanRef[];
  /** The caller's runs that it drives, at most 200; one that waits is nobody's */
  readonly runs: readonly {
    readonly planId: string;
    readonly planVersion: string;
    readonly runId: string;
  }[];
}

export interface WorkerList {
  /** By the store's clock, which all these times are by */
  readonly now: string;
  readonly items: readonly WorkerInfo[];
  /** What open runs need and no worker has */
  readonly unserved: readonly UnservedPlan[];
}

export interface WorkflowDetail {
  readonly workflowId: string;
  /** ISO 8601, UTC */
  readonly publishedAt: string;
  readonly versionCount: number;
  /** Of the version that was published last */
  readonly plan: RunPlan;
  readonly counts: RunCounts;
  readonly history: WorkflowHistory;
}

/** A workflow file as JSON; `workflow` and `version` may be left out, as the path says them */
export type WorkflowDocument = { readonly [key: string]: Json };

/** The last runs by steps, and how long they took */
export interface WorkflowHistory {
  /** The first 200 steps outside of containers, of all versions shown */
  readonly steps: readonly string[];
  /** Newest first, at most 50 */
  readonly runs: readonly WorkflowHistoryColumn[];
  /** Of the completed ones among them; null = there is none */
  readonly p50Ms: number | null;
  readonly p95Ms: number | null;
}

/** A run as a column of the grid */
export interface WorkflowHistoryColumn {
  readonly runId: string;
  readonly version: string;
  readonly status: "PENDING" | "APPROVED" | "RUNNING" | "PAUSED" | "COMPLETED" | "FAILED" | "CANCELLED";
  /** ISO 8601, UTC */
  readonly createdAt: string;
  /** Null = it has not ended */
  readonly durationMs: number | null;
  /** In the order of `steps`; null = it had no such step */
  readonly stepStatuses: readonly ("PENDING" | "RUNNING" | "SUCCESS" | "FAILED" | "SKIPPED" | null)[];
  /** In the order of `steps` */
  readonly stepDurationsMs: readonly (number | null)[];
}

export interface WorkflowPage {
  readonly items: readonly WorkflowSummary[];
  /** What `after` has to be for the next page; null = this is the last one */
  readonly next: string | null;
}

export interface WorkflowSummary {
  readonly workflowId: string;
  /** The one that was published last */
  readonly version: string;
  /** ISO 8601, UTC */
  readonly publishedAt: string;
  readonly versionCount: number;
  /** The tenant's runs by status, of all versions */
  readonly counts: RunCounts;
  /** The newest one; null = there is none */
  readonly lastRun: RunSummary | null;
}

export interface WorkflowVersion {
  readonly version: string;
  readonly hash: string;
  /** ISO 8601, UTC */
  readonly publishedAt: string;
  readonly plan: RunPlan;
}

export interface WorkflowVersionPage {
  readonly items: readonly WorkflowVersion[];
  /** What `after` has to be for the next page; null = this is the last one */
  readonly next: string | null;
}

export interface ListRunsQuery {
  readonly workflow?: string;
  readonly project?: string;
  readonly environment?: string;
  /** Any of these */
  readonly status?: readonly ("PENDING" | "APPROVED" | "RUNNING" | "PAUSED" | "COMPLETED" | "FAILED" | "CANCELLED")[];
  readonly version?: string;
  /** All of these, as in team:data,env:prod */
  readonly labels?: readonly string[];
  readonly createdFrom?: string;
  /** Created before */
  readonly createdTo?: string;
  /** Occurs in the failing step, the error's code or message */
  readonly error?: string;
  /** Children of this run */
  readonly parent?: string;
  readonly schedule?: string;
  /** The `next` of the page before */
  readonly after?: string;
  /** Default 50 */
  readonly limit?: number;
}

export interface CountRunsQuery {
  readonly workflow?: string;
  readonly project?: string;
  readonly environment?: string;
}

export interface RunHistogramQuery {
  readonly workflow?: string;
  readonly project?: string;
  readonly environment?: string;
  readonly from: string;
  readonly to: string;
  readonly bucket: "minute" | "hour" | "day";
}

export interface StreamRunsQuery {
  readonly workflow?: string;
  readonly project?: string;
  readonly environment?: string;
  /** Any of these */
  readonly status?: readonly ("PENDING" | "APPROVED" | "RUNNING" | "PAUSED" | "COMPLETED" | "FAILED" | "CANCELLED")[];
  readonly version?: string;
  /** All of these, as in team:data,env:prod */
  readonly labels?: readonly string[];
  readonly createdFrom?: string;
  /** Created before */
  readonly createdTo?: string;
  /** Occurs in the failing step, the error's code or message */
  readonly error?: string;
  /** Children of this run */
  readonly parent?: string;
  readonly schedule?: string;
}

export interface GetRunQuery {
  /** As it was known at this seq. Default: as it is now */
  readonly atSeq?: number;
}

export interface GetRunOutlineQuery {
  /** As it was known at this seq. Default: as it is now */
  readonly atSeq?: number;
}

export interface ListStepsQuery {
  /** The `next` of the page before */
  readonly after?: number;
  /** Default 200 */
  readonly limit?: number;
  /** As it was known at this seq. Default: as it is now */
  readonly atSeq?: number;
}

export interface ListEventsQuery {
  /** Only events with a higher seq. Default 0 */
  readonly after?: number;
  /** Default 200 */
  readonly limit?: number;
  /** false = without inputs, outputs, signal payloads, patches and state: what the fold needs is left */
  readonly payloads?: boolean;
}

export interface StreamRunQuery {
  /** Only events with a higher seq; `Last-Event-ID` comes first */
  readonly after?: number;
  /** false = without inputs, outputs, signal payloads, patches and state: what the fold needs is left */
  readonly payloads?: boolean;
}

export interface ListLogsQuery {
  readonly stepId?: string;
  readonly attempt?: number;
  /** The `next` of the page before */
  readonly after?: string;
  /** Default 1000 */
  readonly limit?: number;
}

export interface StreamLogsQuery {
  readonly stepId?: string;
  readonly attempt?: number;
  /** The `next` of the page before */
  readonly after?: string;
}

export interface ListArtifactsQuery {
  readonly stepId?: string;
  /** The `next` of the page before */
  readonly after?: string;
  /** Default 100 */
  readonly limit?: number;
}

export interface DiffRunsQuery {
  /** The `next` of the page before */
  readonly after?: number;
  /** Default 500 */
  readonly limit?: number;
}

export interface ListWorkflowsQuery {
  /** The `next` of the page before */
  readonly after?: string;
  /** Default 50 */
  readonly limit?: number;
}

export interface ListVersionsQuery {
  /** The `next` of the page before */
  readonly after?: string;
  /** Default 10 */
  readonly limit?: number;
}

export interface ListSchedulesQuery {
  /** Only those of this workflow; pages may then be short */
  readonly workflow?: string;
  /** The `next` of the page before */
  readonly after?: string;
  /** Default 100 */
  readonly limit?: number;
}

export interface NextTimesQuery {
  /** Default 5 */
  readonly count?: number;
}

export interface ListQueueQuery {
  /** The `next` of the page before */
  readonly after?: string;
  /** Default 50 */
  readonly limit?: number;
}

export interface RemoveLimitQuery {
  readonly scope: "overall" | "tenant" | "project" | "workflow" | "concurrencyKey";
  /** Overall: empty. Tenant and workflow: the id. Project and concurrency key: tenant|id. `*` = every one that has no limit of its own */
  readonly subject?: string;
}

export interface ListKeysQuery {
  /** The `next` of the page before */
  readonly after?: string;
  /** Default 100 */
  readonly limit?: number;
}

export interface ListAuditQuery {
  /** The `next` of the page before */
  readonly after?: number;
  /** Default 100 */
  readonly limit?: number;
}
