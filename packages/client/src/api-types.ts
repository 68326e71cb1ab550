/** Generated from the OpenAPI document by tests/repository/api-document.test.ts. Do not edit. */
import type * as contracts from "@runledger/contracts";
export interface components {
  schemas: {
    /** @description An API key without its secret. */
    readonly AccessKey: contracts.AccessKey;
    readonly AccessKeyPage: {
      readonly items: readonly components["schemas"]["AccessKey"][];
      /** @description Value of `after` for the next page. `null` on the last page. */
      readonly next: string | null;
    };
    readonly AccessKeyRequest: {
      /** @description Name of the key. It appears in the audit log and as the starter of runs. */
      readonly name: string;
      /**
       * @description Role of calls that use the key.
       * @enum {string}
       */
      readonly role: "viewer" | "operator" | "engineer" | "admin";
      /** @description Days until the key expires. Defaults to never. */
      readonly expiresInDays?: number;
    };
    /** @description The outcome of an action. */
    readonly ActionOutcome: {
      readonly runId: string;
      /** @enum {string} */
      readonly action: "approve" | "pause" | "resume" | "cancel" | "retry" | "skip" | "compensate";
      /** @description `true` if the run accepted the action, or would accept it. */
      readonly accepted: boolean;
      readonly dryRun: boolean;
      /** @description In a dry run: why the action would be rejected. */
      readonly reason?: string;
      readonly signalId?: string;
      /** @description In a dry run of a retry: the first 1,000 steps that would run again. */
      readonly runsAgain?: readonly string[];
      /** @description In a dry run of a retry: number of steps that would run again. */
      readonly runsAgainCount?: number;
      /** @description In a dry run of a retry: number of completed steps that would be kept. */
      readonly keptCount?: number;
    };
    /** @description Options of an action. */
    readonly ActionRequest: {
      /** @description Step to retry or to skip. */
      readonly stepId?: string;
      /** @description Idempotency key: a repeated call has no further effect. Defaults to a random id. */
      readonly signalId?: string;
      /** @description `true` to preview the action without performing it. */
      readonly dryRun?: boolean;
    };
    /** @description An alert of a server, a worker or another process on the same store. */
    readonly Alert: {
      /**
       * @description ISO 8601 timestamp in UTC.
       * @example 2026-11-14T08:14:03.120Z
       */
      readonly at: string;
      readonly code: string;
      /**
       * @description `critical` if an operator must act; `warning` if an operator should know.
       * @enum {string}
       */
      readonly severity: "critical" | "warning";
      readonly message: string;
      /** @description Run that the alert is about. */
      readonly runId?: string;
      /** @description Host and process id of the process that raised it. Absent if the caller may not act for all tenants. */
      readonly process?: string;
      /** @description What to do about it. */
      readonly remedy: string;
    };
    readonly ArtifactPage: {
      readonly items: readonly components["schemas"]["StoredArtifact"][];
      /** @description Value of `after` for the next page. `null` on the last page. */
      readonly next: string | null;
    };
    /** @description A reference to an artifact. */
    readonly ArtifactRef: contracts.ArtifactRef;
    /** @description A denied or administrative call, a login or a logout. */
    readonly AuditEntry: contracts.StoredAuditEntry;
    readonly AuditPage: {
      readonly items: readonly components["schemas"]["AuditEntry"][];
      /** @description Value of `after` for the next page. `null` on the last page. */
      readonly next: string | null;
    };
    /** @description The times of the range and their runs. */
    readonly BackfillOutcome: {
      readonly dryRun: boolean;
      readonly items: readonly components["schemas"]["BackfillTick"][];
    };
    /** @description A range of scheduled times. */
    readonly BackfillRequest: {
      /**
       * @description Start of the range.
       * @example 2026-11-14T08:14:03.120Z
       */
      readonly from: string;
      /**
       * @description End of the range, exclusive. Defaults to now.
       * @example 2026-11-14T08:14:03.120Z
       */
      readonly to?: string;
      /** @description `true` to list the times without starting runs. */
      readonly dryRun?: boolean;
    };
    /** @description A scheduled time and its run. */
    readonly BackfillTick: {
      /**
       * @description The scheduled time.
       * @example 2026-11-14T08:14:03.120Z
       */
      readonly tick: string;
      /** @description Run of this time. `null` in a dry run if the time has no run yet. */
      readonly runId: string | null;
      /** @description `true` if this call started the run. */
      readonly started: boolean;
    };
    /** @description A partition that a backfill selected. */
    readonly BackfilledPartition: {
      readonly key: string;
      /**
       * @description State before the call.
       * @enum {string}
       */
      readonly state: "missing" | "queued" | "running" | "succeeded" | "failed" | "cancelled";
      /** @description Run that the call started or found. `null` in a dry run if it would start one. */
      readonly runId: string | null;
      /** @description `true` if this call started the run. */
      readonly started: boolean;
    };
    /** @description The outcome for one run. */
    readonly BulkItem: {
      readonly runId: string;
      readonly accepted: boolean;
      /** @description Why the action was rejected, or would be. */
      readonly reason?: string;
      /** @description Error code of the rejection. */
      readonly code?: string;
      /** @description In a dry run of a retry: number of steps that would run again. */
      readonly runsAgainCount?: number;
      /** @description In a dry run of a retry: number of completed steps that would be kept. */
      readonly keptCount?: number;
    };
    /** @description The outcome of an action on several runs. */
    readonly BulkOutcome: {
      /** @enum {string} */
      readonly action: "pause" | "resume" | "cancel" | "retry";
      readonly dryRun: boolean;
      /** @description Number of runs that accepted the action. */
      readonly accepted: number;
      /** @description Number of runs that rejected the action. */
      readonly refused: number;
      /** @description `true` if more runs may match the filter. */
      readonly more: boolean;
      readonly items: readonly components["schemas"]["BulkItem"][];
    };
    /** @description An action on several runs. Set either `runIds` or `filter`. */
    readonly BulkRequest: {
      /** @enum {string} */
      readonly action: "pause" | "resume" | "cancel" | "retry";
      /** @description Ids of the runs. */
      readonly runIds?: readonly string[];
      /** @description Selects the newest 500 matching runs instead of `runIds`. Use `dryRun` first. */
      readonly filter?: components["schemas"]["RunFilter"];
      /** @description `true` to preview the action without performing it. */
      readonly dryRun?: boolean;
      /** @description Idempotency key: a repeated call has no further effect. */
      readonly requestId?: string;
    };
    /** @description The type of the bus and its settings. A `webhook` has `url`, `secrets` (names of signing keys) and `batchSize`. `openlineage` has `url`, `namespace` and `secret` (name of an API key that starts with `lineage-`). */
    readonly BusSettings: {
      readonly type: string;
    } & {
      readonly [key: string]: contracts.Json;
    };
    /** @description All stored events have been sent. */
    readonly CaughtUp: {
      /** @constant */
      readonly type?: "caught-up";
      readonly runId: string;
      readonly headSeq: number;
      /** @description `true` if the run has finished. */
      readonly ended: boolean;
    };
    readonly CreatedAccessKey: {
      readonly key: components["schemas"]["AccessKey"];
      /** @description The full key. It is returned only here and cannot be retrieved later. */
      readonly secret: string;
    };
    readonly Dataset: {
      readonly namespace: string;
      readonly name: string;
      /**
       * @description `stale` if the last write is older than its policy allows. `no-policy` if the step that wrote it last declares none.
       * @enum {string}
       */
      readonly freshness: "fresh" | "stale" | "no-policy" | "never-written";
      /** @description The policy. `null` if there is none. */
      readonly freshForMs: number | null;
      /** @description `null` if no step has written the dataset. */
      readonly lastWrite: components["schemas"]["DatasetUse"] | null;
    };
    readonly DatasetDetail: {
      readonly namespace: string;
      readonly name: string;
      /**
       * @description `stale` if the last write is older than its policy allows. `no-policy` if the step that wrote it last declares none.
       * @enum {string}
       */
      readonly freshness: "fresh" | "stale" | "no-policy" | "never-written";
      /** @description The policy. `null` if there is none. */
      readonly freshForMs: number | null;
      /** @description `null` if no step has written the dataset. */
      readonly lastWrite: components["schemas"]["DatasetUse"] | null;
      /** @description The fields that the last write reported. */
      readonly fields: readonly {
        readonly name: string;
        readonly type?: string;
        readonly description?: string;
      }[];
      /** @description The steps that write it, each with its last write. */
      readonly writers: readonly components["schemas"]["DatasetUse"][];
      /** @description The steps that read it, each with its last read. */
      readonly readers: readonly components["schemas"]["DatasetUse"][];
      /** @description Datasets that the writers read. */
      readonly upstream: readonly components["schemas"]["DatasetNeighbor"][];
      /** @description Datasets that the readers write. */
      readonly downstream: readonly components["schemas"]["DatasetNeighbor"][];
      /** @description The last 20 writes, newest first. */
      readonly writes: readonly components["schemas"]["DatasetUse"][];
    };
    /** @description Another dataset, and the steps that connect the two. */
    readonly DatasetNeighbor: {
      readonly namespace: string;
      readonly name: string;
      readonly steps: readonly {
        /** @description Id of the workflow. */
        readonly planId: string;
        /** @description Id of the step, with the containers around it. */
        readonly stepId: string;
      }[];
    };
    readonly DatasetPage: {
      readonly items: readonly components["schemas"]["Dataset"][];
      /** @description Value of `after` for the next page. `null` on the last page. */
      readonly next: string | null;
    };
    /** @description A completed attempt of a step that read or wrote the dataset. */
    readonly DatasetUse: {
      /** @description Id of the workflow. */
      readonly planId: string;
      /** @description Id of the step, with the containers around it. */
      readonly stepId: string;
      /** @description `null` if the run was deleted. */
      readonly runId: string | null;
      readonly attempt: string;
      /**
       * @description ISO 8601 timestamp in UTC.
       * @example 2026-11-14T08:14:03.120Z
       */
      readonly at: string;
      readonly rows?: number;
      readonly bytes?: number;
    };
    /** @description An event that the bus refused too often. Its run waits behind it until it is redriven or dropped. */
    readonly DeadLetter: {
      readonly subscriptionId: string;
      readonly runId: string;
      /** @description Number of the event in its run. */
      readonly runSeq: number;
      /**
       * @description Time of the last attempt.
       * @example 2026-11-14T08:14:03.120Z
       */
      readonly deadAt: string;
      readonly attempts: number;
      /** @description Error of the last attempt. */
      readonly error: string;
    };
    readonly DeadLetterPage: {
      readonly items: readonly components["schemas"]["DeadLetter"][];
      /** @description Value of `after` for the next page. `null` on the last page. */
      readonly next: string | null;
    };
    /** @description A step that at least one of the two runs has. */
    readonly DiffRow: {
      readonly stepId: string;
      /** @description The step in the first run. `null` if that run does not have it. */
      readonly one: components["schemas"]["DiffSide"] | null;
      /** @description The step in the second run. `null` if that run does not have it. */
      readonly other: components["schemas"]["DiffSide"] | null;
      /** @description How the two steps differ. Durations are not compared. */
      readonly differs: readonly ("presence" | "status" | "error" | "attempts")[];
    };
    /** @description A step in one of the two runs. */
    readonly DiffSide: {
      /** @enum {string} */
      readonly status: "PENDING" | "RUNNING" | "SUCCESS" | "FAILED" | "SKIPPED";
      /** @description `null` if the step has not finished. */
      readonly durationMs: number | null;
      /** @description Number of the last attempt. */
      readonly attempts: string;
      readonly errorCode?: string;
    };
    /** @description The due runs of one workflow. */
    readonly DueRuns: {
      readonly tenantId: string;
      /** @description Empty for runs that another engine recorded without a workflow. */
      readonly workflowId: string;
      /** @description Time after which a finished run moves to the archive. `null` if it stays in the log. Only for `runs`. */
      readonly archiveAfterMs: number | null;
      /** @description Age at which the data is deleted. Runs count from their completion, artifacts from their creation. `null` if it is kept. */
      readonly deleteAfterMs: number | null;
      /** @description Runs that the next pass archives. Counts stop at 10,000. */
      readonly toArchive: number;
      /** @description Runs that the next pass deletes, archived or not. Counts stop at 10,000. */
      readonly toDelete: number;
    };
    /** @description The outcome of an event. */
    readonly EventOutcome: {
      /**
       * @description `repeated` if the event started its run before, `skipped` if the filter excludes it.
       * @enum {string}
       */
      readonly outcome: "started" | "repeated" | "skipped";
      /** @description Absent if the event was skipped. */
      readonly runId?: string;
    };
    readonly EventPage: {
      readonly items: readonly components["schemas"]["RunEvent"][];
      /** @description Value of `after` for the next page. `null` on the last page. */
      readonly next: string | null;
      /** @description Numbers up to this one that are missing after `after` stay missing. Absent if none is missing. The default append authority leaves no gaps. */
      readonly settledSeq?: number;
    };
    /** @description A fork, or its preview. */
    readonly ForkOutcome: {
      readonly dryRun: boolean;
      /** @description Id of the fork. Absent in a dry run. */
      readonly runId?: string;
      /** @description `false` if an earlier request with the same `requestId` started the fork. */
      readonly created?: boolean;
      /** @description The forked run, its seq, and the step at which the fork starts. */
      readonly origin: {
        readonly runId: string;
        readonly seq: number;
        readonly from: string;
      };
      readonly workflow: string;
      readonly version: string;
      /** @description Completed steps whose results the fork keeps. */
      readonly kept: readonly components["schemas"]["StepRange"][];
      /** @description Containers that continue with the recorded results of their closures. */
      readonly goesOn: readonly components["schemas"]["StepRange"][];
      /** @description Steps that run, as far as they are known. */
      readonly runs: readonly components["schemas"]["StepRange"][];
    };
    /** @description A fork of a run. */
    readonly ForkRequest: {
      /** @description Step at which the fork starts. It runs again with all steps that depend on it. */
      readonly from: string;
      /** @description Version of the workflow to use. Defaults to the version of the run. */
      readonly version?: string;
      /** @description Input of the fork. Defaults to the input of the run. */
      readonly input?: contracts.Json;
      /** @description Idempotency key: a repeated request returns the fork that the first one started. */
      readonly requestId?: string;
      /** @description `true` to preview the fork without starting it. */
      readonly dryRun?: boolean;
    };
    /** @description Health of the system as one server process sees it. */
    readonly Health: {
      /**
       * @description ISO 8601 timestamp in UTC.
       * @example 2026-11-14T08:14:03.120Z
       */
      readonly at: string;
      /** @description Version of the server. */
      readonly version: string;
      /** @description Seconds since this process started. */
      readonly upSeconds: number;
      /** @description `true` if `/readyz` returns 200. */
      readonly ready: boolean;
      /** @description Parts that keep the server from working. */
      readonly notReady: readonly {
        readonly part: string;
        readonly reason: string;
      }[];
      readonly store: {
        /** @description `null` if the store does not respond. */
        readonly roundTripMs: number | null;
      };
      /** @description `null` if this process runs no steps, or if the caller may not act for all tenants. */
      readonly appends: {
        /** @description Events that this process has appended since its start. */
        readonly total: number;
        /** @description Upper bound of the histogram bucket. */
        readonly p50Ms: number | null;
        /** @description Upper bound of the histogram bucket. */
        readonly p99Ms: number | null;
      } | null;
      /** @description Projections in the store. `null` until the server has measured their lag. `backlogRuns`, `eventsTotal` and `p99LagMs` describe the projector of this process. */
      readonly projector: {
        /** @description Age of the oldest event that is not projected yet. */
        readonly lagSeconds: number;
        /** @description Runs with events that are not projected yet. */
        readonly backlogRuns: number;
        /** @description Runs that readers see as stale. */
        readonly staleRuns: number;
        /** @description Projected events since the start. `null` if the caller may not act for all tenants. */
        readonly eventsTotal: number | null;
        readonly p99LagMs: number | null;
      } | null;
      readonly workers: {
        readonly alive: number;
        /** @description Workers whose heartbeats stopped within the last 24 hours. */
        readonly lost: number;
      };
      /** @description `null` if the caller may not act for all tenants. */
      readonly openStreams: number | null;
      /** @description The last 100 alerts of this process, and of others on the same store in the last 24 hours, newest first. */
      readonly alerts: readonly components["schemas"]["Alert"][];
    };
    /** @description A dead letter with its event. */
    readonly InspectedDeadLetter: {
      readonly subscriptionId: string;
      readonly runId: string;
      /** @description Number of the event in its run. */
      readonly runSeq: number;
      /**
       * @description Time of the last attempt.
       * @example 2026-11-14T08:14:03.120Z
       */
      readonly deadAt: string;
      readonly attempts: number;
      /** @description Error of the last attempt. */
      readonly error: string;
      /** @description The refused event. `null` if it cannot be read. */
      readonly event: components["schemas"]["RunEvent"] | null;
    };
    /** @description A limit on runs. */
    readonly Limit: contracts.Limit;
    readonly LimitList: {
      readonly items: readonly components["schemas"]["Limit"][];
    };
    readonly LimitRemoved: {
      /** @description `false` if the limit did not exist. */
      readonly removed: boolean;
    };
    /** @description A complete limit. Omitted fields are unlimited. */
    readonly LimitRequest: {
      /**
       * @description Kind of subject that the limit applies to.
       * @enum {string}
       */
      readonly scope: "overall" | "tenant" | "project" | "workflow" | "concurrencyKey";
      /** @description Empty for `overall`; an id for `tenant` and `workflow`; `<tenant>|<id>` for `project` and `concurrencyKey`. `*` applies to every subject without its own limit. */
      readonly subject: string;
      /** @description Maximum number of runs that run at the same time. `null` if unlimited. */
      readonly maxRunning?: number | null;
      /** @description Maximum number of starts in any period of `perMs` milliseconds. `null` if unlimited. */
      readonly rate?: {
        readonly starts: number;
        readonly perMs: number;
      } | null;
      /** @description Maximum number of queued runs. The server refuses further starts. `null` if unlimited. */
      readonly maxQueued?: number | null;
      /** @description For a tenant: tenants with a higher priority are served first. For a project or workflow: added to the priority of its runs. */
      readonly priority?: number | null;
    };
    /** @description New log lines. */
    readonly LogBatch: {
      readonly lines: readonly components["schemas"]["LogLine"][];
    };
    /** @description A line that a step logged or printed. */
    readonly LogLine: {
      /**
       * @description ISO 8601 timestamp in UTC.
       * @example 2026-11-14T08:14:03.120Z
       */
      readonly at: string;
      /**
       * @description `log` if the step wrote the line with its logger.
       * @enum {string}
       */
      readonly from: "stdout" | "stderr" | "log";
      readonly text: string;
      /** @description Structured data of the line. */
      readonly fields?: {
        readonly [key: string]: contracts.Json;
      };
      readonly stepId?: string;
      readonly attempt?: number;
    };
    readonly LogPage: {
      readonly items: readonly components["schemas"]["LogLine"][];
      /** @description Value of `after` for the next page. `null` on the last page. */
      readonly next: string | null;
    };
    /** @description The run has finished and all of its lines were sent. */
    readonly LogsEnded: Record<string, never>;
    /** @description The caller. */
    readonly Me: {
      /** @description Name of the key or user. */
      readonly name: string;
      /** @description Tenant that calls act for. */
      readonly tenantId: string;
      /**
       * @description Role of the caller.
       * @enum {string}
       */
      readonly role: "viewer" | "operator" | "engineer" | "admin";
      /** @description `true` if the caller can select a tenant with the header `Runledger-Tenant`. */
      readonly allTenants: boolean;
      /** @description Address of the UI of the platform that executes runs. Absent if there is none. */
      readonly engineUiUrl?: string;
    };
    /** @description A partition of a workflow. */
    readonly Partition: {
      /** @description Such as `2026-01-31`, `2026-01-31T08`, or a key of the workflow. */
      readonly key: string;
      /**
       * @description Start of the day or hour.
       * @example 2026-11-14T08:14:03.120Z
       */
      readonly start?: string;
      /**
       * @description End of the day or hour, exclusive.
       * @example 2026-11-14T08:14:03.120Z
       */
      readonly end?: string;
      /**
       * @description State of the newest run. `missing` if there is none.
       * @enum {string}
       */
      readonly state: "missing" | "queued" | "running" | "succeeded" | "failed" | "cancelled";
      /** @description Newest run of the partition. `null` if there is none. */
      readonly runId: string | null;
    };
    /** @description Partitions of a backfill and their runs. */
    readonly PartitionBackfillOutcome: {
      readonly dryRun: boolean;
      /** @description Selected partitions in order. */
      readonly items: readonly components["schemas"]["BackfilledPartition"][];
      /** @description Number of selected partitions that were left out. Repeat the call to start them. */
      readonly remaining: number;
      /** @description `true` if a limit on queued runs stopped the call. Repeat it later. */
      readonly queueFull: boolean;
      /** @description Concurrency key of the runs. */
      readonly concurrencyKey: string;
    };
    /** @description The partitions to start. */
    readonly PartitionBackfillRequest: {
      /** @description First partition. Defaults to the first one of the workflow. */
      readonly from?: string;
      /** @description Last partition. Defaults to the last complete one. */
      readonly to?: string;
      /** @description These partitions instead of a range. */
      readonly keys?: readonly string[];
      /**
       * @description `missing`: partitions without a run. `failed`: those whose newest run failed or was cancelled. `both` is the default.
       * @enum {string}
       */
      readonly only?: "missing" | "failed" | "both";
      /** @description `true` to also start partitions that succeeded, or whose runs retention has deleted. */
      readonly force?: boolean;
      /** @description Maximum number of partitions to start. Defaults to 100. */
      readonly limit?: number;
      /** @description Maximum number of runs of this workflow's backfills that are open at once. Defaults to what the last call set, or 1. */
      readonly concurrency?: number;
      /** @description Input of the runs. It must match the workflow's schema. */
      readonly input?: contracts.Json;
      /** @description Priority of the runs. Defaults to 0. */
      readonly priority?: number;
      /** @description `true` to list the partitions without starting runs. */
      readonly dryRun?: boolean;
      /** @description Project of the runs. Defaults to `default`. */
      readonly projectId?: string;
      /** @description Environment of the runs. Defaults to `default`. */
      readonly environmentId?: string;
    };
    /** @description Partitions of a workflow with their states. */
    readonly PartitionList: {
      /**
       * @description How the workflow is partitioned.
       * @enum {string}
       */
      readonly by: "day" | "hour" | "key";
      /** @description Time zone of the days. `null` if it is not set. */
      readonly timeZone: string | null;
      /** @description First partition of the workflow. `null` if none is complete yet. */
      readonly first: string | null;
      /** @description Last complete partition of the workflow. */
      readonly last: string | null;
      /** @description Partitions in order. */
      readonly items: readonly components["schemas"]["Partition"][];
    };
    /** @description An accepted signal that the run has not consumed yet. */
    readonly PendingSignal: contracts.PendingSignal;
    /** @description A version of a workflow. */
    readonly PlanRef: contracts.PlanRef;
    /** @description An error (RFC 9457). */
    readonly Problem: {
      /** @description Path of the page that explains the error code. */
      readonly type: string;
      /** @description Short summary of the error family. */
      readonly title: string;
      /** @description HTTP status. */
      readonly status: number;
      /** @description Explains the error and what to do about it. */
      readonly detail: string;
      /**
       * @description Stable error code for programs.
       * @example RUN_NOT_FOUND
       */
      readonly code: string;
      /**
       * @description Tells the caller to retry the request, to change it, or to stop.
       * @enum {string}
       */
      readonly family: "retry" | "fix-input" | "stop";
      /** @description Id of the request in the server's log. */
      readonly requestId: string;
      /** @description Part of the request that is invalid. */
      readonly field?: string;
      /** @description All errors found in a workflow. */
      readonly problems?: readonly {
        readonly code: string;
        readonly step: string;
        readonly message: string;
        readonly origin?: string;
      }[];
      /** @description Seconds to wait before a retry, as in `Retry-After`. */
      readonly retryAfterSeconds?: number;
      /** @description The run's current seq, if the request expected another one. */
      readonly headSeq?: number;
    };
    /** @description A published version of a workflow. */
    readonly PublishedWorkflow: {
      readonly workflowId: string;
      readonly version: string;
      /** @description Hash of steps and options, without schemas. */
      readonly hash: string;
      /** @description `false` if this version was published before. */
      readonly created: boolean;
      /**
       * @description ISO 8601 timestamp in UTC.
       * @example 2026-11-14T08:14:03.120Z
       */
      readonly publishedAt: string;
      /** @description Kinds of steps that run only on workers that allow them: `command`, `sql`. */
      readonly needsPermission: readonly string[];
    };
    /** @description Open runs of the caller's tenant. */
    readonly QueueCounts: {
      /** @description Runs that have not started. */
      readonly queued: number;
      readonly running: number;
      /** @description Started runs that wait without a slot. */
      readonly waiting: number;
    };
    readonly QueuePage: {
      readonly items: readonly components["schemas"]["QueuedRun"][];
      /** @description Value of `after` for the next page. `null` on the last page. */
      readonly next: string | null;
      readonly counts: components["schemas"]["QueueCounts"];
    };
    /** @description An open run and why it does not run. */
    readonly QueuedRun: {
      readonly runId: string;
      /**
       * @description `answering` if a worker handles an operator's action without a slot; `ended` if the run has left the queue.
       * @enum {string}
       */
      readonly where: "queued" | "running" | "answering" | "waiting" | "ended";
      /** @description Why the run does not run. Empty if a worker has it or claims it next. */
      readonly reasons: readonly components["schemas"]["WaitReason"][];
      /** @description Position in the queue; 1 is next. `null` if the run does not wait for its turn. For a caller of one tenant, the position among the tenant's runs. */
      readonly position: number | null;
      /** @description Expected start at the recent rate of starts. `null` if unknown, or if it depends on runs of other tenants that the caller may not see. */
      readonly expectedAt: string | null;
      readonly planId: string;
      readonly planVersion: string;
      readonly projectId: string;
      readonly concurrencyKey: string | null;
      readonly priority: number;
      readonly queuedAt: string | null;
      /** @description `null` if the run has not started. */
      readonly startedAt: string | null;
      /** @description Time before which no worker claims the run. */
      readonly dueAt: string | null;
      /** @description Worker that drives the run. `null` if there is none. */
      readonly owner: string | null;
    };
    /** @description A run that the caller cannot watch. The stream continues with the others. */
    readonly RefusedRun: {
      readonly runId: string;
      readonly problem: components["schemas"]["Problem"];
    };
    /** @description How long data is kept. */
    readonly RetentionPolicy: {
      /**
       * @description The data that the policy covers.
       * @enum {string}
       */
      readonly kind: "runs" | "artifacts" | "startKeys" | "deadLetters" | "feed" | "audit";
      /** @description `*` applies to every tenant without its own policy. `feed` and `audit` have no other. */
      readonly tenantId: string;
      /** @description `*` applies to every workflow without its own policy. Only `runs` have others. For `artifacts`, the kind of artifact: `*` applies to every kind without its own policy. */
      readonly workflowId: string;
      /** @description Time after which a finished run moves to the archive. `null` if it stays in the log. Only for `runs`. */
      readonly archiveAfterMs: number | null;
      /** @description Age at which the data is deleted. Runs count from their completion, artifacts from their creation. `null` if it is kept. */
      readonly deleteAfterMs: number | null;
    };
    readonly RetentionPolicyList: {
      readonly items: readonly components["schemas"]["RetentionPolicy"][];
    };
    readonly RetentionPolicyRemoved: {
      /** @description `false` if the policy did not exist. */
      readonly removed: boolean;
    };
    /** @description A complete policy. Data is kept where a field is omitted. */
    readonly RetentionPolicyRequest: {
      /**
       * @description The data that the policy covers.
       * @enum {string}
       */
      readonly kind: "runs" | "artifacts" | "startKeys" | "deadLetters" | "feed" | "audit";
      /** @description `*` applies to every tenant without its own policy. `feed` and `audit` have no other. */
      readonly tenantId: string;
      /**
       * @description `*` applies to every workflow without its own policy. Only `runs` have others. For `artifacts`, the kind of artifact: `*` applies to every kind without its own policy.
       * @default *
       */
      readonly workflowId: string;
      /**
       * @description Time after which a finished run moves to the archive. `null` if it stays in the log. Only for `runs`.
       * @default null
       */
      readonly archiveAfterMs: number | null;
      /**
       * @description Age at which the data is deleted. Runs count from their completion, artifacts from their creation. `null` if it is kept.
       * @default null
       */
      readonly deleteAfterMs: number | null;
    };
    readonly RetentionReport: {
      readonly items: readonly components["schemas"]["DueRuns"][];
    };
    /** @description The new start of a subscription. */
    readonly RewindRequest: {
      /**
       * @description `beginning`, `now` or an ISO 8601 time.
       * @example beginning
       */
      readonly from: string;
    };
    /** @description A run at one seq, without its steps. */
    readonly Run: contracts.RunHeader;
    /** @description Number of runs by status. */
    readonly RunCounts: contracts.RunCounts;
    /** @description A comparison of two runs, step by step. */
    readonly RunDiff: {
      readonly one: components["schemas"]["Run"];
      readonly other: components["schemas"]["Run"];
      /** @description `null` if a run was not started by a ledger, so that its input is unknown. */
      readonly sameInput: boolean | null;
      /** @description `true` if both runs use the same workflow and version. */
      readonly samePlan: boolean;
      /** @description First step that differs. `null` if no step differs. */
      readonly firstDifference: string | null;
      /** @description Number of compared steps that differ. */
      readonly differences: number;
      /** @description Number of compared steps. */
      readonly compared: number;
      /** @description `false` if a run has more than 20,000 steps; further steps are not compared. */
      readonly complete: boolean;
      readonly items: readonly components["schemas"]["DiffRow"][];
      /** @description Value of `after` for the next page. `null` on the last page. */
      readonly next: string | null;
    };
    /** @description The run has finished. It may be reopened later. */
    readonly RunEnded: {
      /** @constant */
      readonly type?: "ended";
      readonly runId: string;
      readonly runSeq: number;
    };
    /** @description A run without payloads. */
    readonly RunErasure: {
      readonly runId: string;
      /** @constant */
      readonly erased: true;
      /** @description Events whose payloads were erased. 0 if they had none left. */
      readonly events: number;
    };
    /** @description A request to erase the payloads of a run. */
    readonly RunErasureRequest: {
      /** @description Why the payloads are erased. The log keeps it, so do not name persons. */
      readonly reason: string;
    };
    /** @description The error of a step or run. */
    readonly RunError: contracts.RunError;
    /** @description An event of a run's log. */
    readonly RunEvent: contracts.CanonicalEngineEvent;
    /** @description Selects runs. A run must match all fields. */
    readonly RunFilter: {
      /** @description Only runs of this workflow. */
      readonly workflow?: string;
      /** @description Only runs of this project. */
      readonly project?: string;
      /** @description Only runs of this environment. */
      readonly environment?: string;
      /** @description Only runs with one of these statuses. */
      readonly status?: readonly (
        "PENDING" | "APPROVED" | "RUNNING" | "PAUSED" | "COMPLETED" | "FAILED" | "CANCELLED"
      )[];
      /** @description Only runs of this version of the workflow. */
      readonly version?: string;
      /** @description Only runs with all of these labels, such as `team:data`. */
      readonly labels?: readonly string[];
      /**
       * Format: date-time
       * @description Only runs created at this time or later.
       */
      readonly createdFrom?: string;
      /**
       * Format: date-time
       * @description Only runs created before this time.
       */
      readonly createdTo?: string;
      /** @description Text that occurs in the failing step's id, or in the error's code or message. */
      readonly error?: string;
      /** @description Only child runs of this run. */
      readonly parent?: string;
      /** @description Only runs of this schedule. */
      readonly schedule?: string;
    };
    /** @description Runs by time of creation and current status. */
    readonly RunHistogram: {
      readonly bars: readonly {
        /**
         * @description Start of the bar.
         * @example 2026-11-14T08:14:03.120Z
         */
        readonly at: string;
        readonly counts: components["schemas"]["RunCounts"];
      }[];
      /** @description `false` if only the newest runs of the range were counted. */
      readonly complete: boolean;
    };
    /** @description A takeover, pause, resume, reopening or reset of a run. */
    readonly RunLandmark: {
      readonly runSeq: number;
      readonly eventType: string;
      /**
       * @description ISO 8601 timestamp in UTC.
       * @example 2026-11-14T08:14:03.120Z
       */
      readonly emittedAt: string;
      /** @description Worker that took over the run. */
      readonly workerId?: string;
      /** @description Lease epoch after a takeover. */
      readonly epoch?: number;
    };
    /** @description Runs that are new or changed, and ids of runs that left the list. */
    readonly RunListChange: {
      readonly runs: readonly components["schemas"]["RunSummary"][];
      readonly gone: readonly string[];
    };
    /** @description The newest 100 runs of the list. */
    readonly RunListSnapshot: {
      readonly runs: readonly components["schemas"]["RunSummary"][];
    };
    /** @description A summary of a run at one seq. */
    readonly RunOutline: {
      readonly run: components["schemas"]["Run"];
      /** @description Steps outside containers. */
      readonly steps: readonly components["schemas"]["Step"][];
      /** @description `false` if the run has more than 2,000 such steps; further ones are omitted. */
      readonly complete: boolean;
      /** @description Steps inside containers, counted. */
      readonly groups: readonly components["schemas"]["StepGroup"][];
      /** @description Takeovers, pauses, resumes, reopenings and resets: the last 100 of each type, ordered by seq. */
      readonly landmarks: readonly components["schemas"]["RunLandmark"][];
    };
    readonly RunPage: {
      readonly items: readonly components["schemas"]["RunSummary"][];
      /** @description Value of `after` for the next page. `null` on the last page. */
      readonly next: string | null;
    };
    /** @description The plan of a run. */
    readonly RunPlan: {
      readonly planId: string;
      readonly planVersion: string;
      /** @description Hash of the plan's content. */
      readonly hash: string;
      /** @description The compiled steps. */
      readonly body: {
        readonly [key: string]: contracts.Json;
      };
      /** @description `null` if runs have no deadline. */
      readonly deadlineMs: number | null;
      /** @description `true` if a run waits for approval before it starts. */
      readonly approval: boolean;
      /** @description How the workflow is partitioned. Absent if it is not. */
      readonly partitions?: {
        readonly [key: string]: contracts.Json;
      };
      /** @description JSON Schema of the input. `null` if unknown. */
      readonly inputSchema: {
        readonly [key: string]: contracts.Json;
      } | null;
      /** @description JSON Schemas of signals by name. `null` if unknown. */
      readonly signalSchemas: {
        readonly [key: string]: {
          readonly [key: string]: contracts.Json;
        } | null;
      };
    };
    /** @description A run in a list. */
    readonly RunSummary: contracts.RunSummary;
    /** @description A schedule of a workflow. */
    readonly Schedule: {
      readonly scheduleId: string;
      readonly workflow: string;
      readonly version: string;
      readonly timing: components["schemas"]["ScheduleTiming"];
      readonly input?: contracts.Json;
      readonly projectId: string;
      readonly environmentId: string;
      readonly priority: number;
      readonly concurrencyKey?: string;
      readonly labels?: {
        readonly [key: string]: string;
      };
      /** @enum {string} */
      readonly catchUp: "none" | "latest" | "all";
      readonly catchUpLimit: number;
      /** @enum {string} */
      readonly overlap: "allow" | "skip" | "queue" | "cancel";
      /** @description Maximum delay of each time. */
      readonly jitterMs: number;
      /** @description `null` if the schedule is not paused. */
      readonly pausedAt: string | null;
      /** @description Next time that gets a run. `null` if there are no further times. */
      readonly nextTick: string | null;
      /** @description Time at which a scheduler handles it next: `nextTick` plus the jitter, or later. `null` if never. */
      readonly dueAt: string | null;
      /** @description `true` if `nextTick` has passed and waits for an open run to finish. */
      readonly waiting: boolean;
      /** @description Outcome of the last time. `null` before the first one. */
      readonly last: {
        /**
         * @description ISO 8601 timestamp in UTC.
         * @example 2026-11-14T08:14:03.120Z
         */
        readonly tick: string;
        /** @enum {string} */
        readonly outcome: "started" | "skipped" | "missed";
        /** @description The run that was started, or the open run that prevented the start. */
        readonly runId?: string;
      } | null;
    };
    readonly SchedulePage: {
      readonly items: readonly components["schemas"]["Schedule"][];
      /** @description Value of `after` for the next page. `null` on the last page. */
      readonly next: string | null;
    };
    /** @description A schedule. Set exactly one of `cron`, `every` and `at`. */
    readonly ScheduleRequest: {
      /** @description Id of the workflow. */
      readonly workflow: string;
      /** @description Defaults to the version that was published last. */
      readonly version?: string;
      /** @description Input of each run. */
      readonly input?: contracts.Json;
      /**
       * @description Cron expression with five fields, or six with seconds first.
       * @example 0 2 * * *
       */
      readonly cron?: string;
      /**
       * @description Time zone of `cron`. Defaults to UTC.
       * @example Europe/Berlin
       */
      readonly timeZone?: string;
      /**
       * @description Fixed interval of at least one second.
       * @example 15m
       */
      readonly every?: string;
      /**
       * @description First time of `every`.
       * @example 2026-11-14T08:14:03.120Z
       */
      readonly from?: string;
      /**
       * @description Time of a single run.
       * @example 2026-11-14T08:14:03.120Z
       */
      readonly at?: string;
      /** @description Defaults to `default`. */
      readonly projectId?: string;
      /** @description Defaults to `default`. */
      readonly environmentId?: string;
      /** @description Defaults to 0. Higher values start first. */
      readonly priority?: number;
      /** @description Runs with the same key run one at a time. */
      readonly concurrencyKey?: string;
      readonly labels?: {
        readonly [key: string]: string;
      };
      /**
       * @description Which times to run that passed while no scheduler ran. Defaults to `latest`.
       * @enum {string}
       */
      readonly catchUp?: "none" | "latest" | "all";
      /** @description Maximum number of times for `all`. Defaults to 100. */
      readonly catchUpLimit?: number;
      /**
       * @description What to do if the previous run is still open: `allow` another, `skip` the time, `queue` it, or `cancel` the open run. Defaults to `skip`.
       * @enum {string}
       */
      readonly overlap?: "allow" | "skip" | "queue" | "cancel";
      /**
       * @description Delays every time by a fixed amount up to this duration, which is derived from the schedule's id.
       * @example 15m
       */
      readonly jitter?: string;
    };
    /** @description The next times of a schedule, ascending. */
    readonly ScheduleTimes: {
      readonly times: readonly string[];
      readonly timeZone: string;
    };
    /** @description Either `cron` and `timeZone`, `everyMs` and `from`, or `at`. */
    readonly ScheduleTiming: {
      readonly cron?: string;
      readonly timeZone?: string;
      readonly everyMs?: number;
      /**
       * @description ISO 8601 timestamp in UTC.
       * @example 2026-11-14T08:14:03.120Z
       */
      readonly from?: string;
      /**
       * @description ISO 8601 timestamp in UTC.
       * @example 2026-11-14T08:14:03.120Z
       */
      readonly at?: string;
    };
    readonly SessionRequest: {
      /** @description An API key, a JWT, or the token of the data directory. */
      readonly token: string;
    };
    /** @description A recorded signal. */
    readonly SignalOutcome: {
      readonly runId: string;
      readonly name: string;
      readonly signalId: string;
    };
    /** @description Payload of a signal. */
    readonly SignalRequest: {
      /** @description Data for the step that waits for the signal. Defaults to `null`. */
      readonly payload?: contracts.Json;
      /** @description Idempotency key: a repeated call has no further effect. Defaults to a random id. */
      readonly signalId?: string;
    };
    /** @description The durations of an inner step in several runs. */
    readonly SlowStep: {
      readonly stepId: string;
      /** @description Kind of the inner step, such as `model` or `test`. */
      readonly kind: string;
      /** @description Number of the runs in which the step finished. */
      readonly runs: number;
      /** @description Median duration. */
      readonly p50Ms: number;
      readonly maxMs: number;
      /** @description Duration in the newest run in which the step finished. */
      readonly lastMs: number;
      /** @description Run in which the step took longest. */
      readonly slowestRunId: string;
    };
    /** @description The slowest inner steps of a workflow's last runs. */
    readonly SlowSteps: {
      /** @description Number of runs that were read. */
      readonly runs: number;
      /** @description The slowest inner steps by median duration, slowest first. */
      readonly steps: readonly components["schemas"]["SlowStep"][];
    };
    /** @description The type of the source and its settings. A `webhook` has `secrets` (names of the keys that senders sign with) and `toleranceSeconds`. */
    readonly SourceSettings: {
      readonly type: string;
    } & {
      readonly [key: string]: contracts.Json;
    };
    /** @description Outcomes of several starts. */
    readonly StartManyOutcome: {
      /** @description One outcome per start, in the same order. */
      readonly outcomes: readonly components["schemas"]["StartOutcome"][];
    };
    /** @description Up to 100 runs to start. */
    readonly StartManyRequest: {
      readonly starts: readonly components["schemas"]["StartRequest"][];
    };
    /** @description The started run, or the problem that prevented it. */
    readonly StartOutcome: {
      readonly run?: components["schemas"]["StartedRun"];
      readonly problem?: components["schemas"]["Problem"];
    };
    /** @description A run to start. */
    readonly StartRequest: {
      /** @description Id of the workflow. */
      readonly workflow: string;
      /** @description Defaults to the version that was published last. */
      readonly version?: string;
      /** @description Input of the run. It must match the workflow's schema. */
      readonly input?: contracts.Json;
      /** @description Idempotency key: a repeated request returns the run that the first one started. */
      readonly requestId?: string;
      /** @description Defaults to `default`. */
      readonly projectId?: string;
      /** @description Defaults to `default`. */
      readonly environmentId?: string;
      /** @description Defaults to 0. Higher values start first. */
      readonly priority?: number;
      /** @description The tenant's runs with the same key run one at a time, or as many as a limit on the key allows. */
      readonly concurrencyKey?: string;
      /**
       * Format: date-time
       * @description Earliest start of the run.
       */
      readonly startAt?: string;
      /**
       * @description `workflow` to make `requestId` unique across all versions of the workflow.
       * @constant
       */
      readonly dedupe?: "workflow";
      /** @description Labels to find the run by. */
      readonly labels?: {
        readonly [key: string]: string;
      };
    };
    /** @description A started run. */
    readonly StartedRun: {
      readonly runId: string;
      /** @description `false` if an earlier request with the same `requestId` started the run. */
      readonly created: boolean;
      readonly workflow: string;
      readonly version: string;
      /**
       * @description For a new run: `ACCEPT` if it can run now, `QUEUE` if it waits for a limit, `DELAY` if it starts later.
       * @enum {string}
       */
      readonly admission?: "ACCEPT" | "QUEUE" | "DELAY";
      /** @description Time of the start, for `DELAY`. */
      readonly startAt?: string;
    };
    /** @description A step of a run at one seq. */
    readonly Step: contracts.StepRow;
    /** @description A step and the events of its attempts. */
    readonly StepDetail: {
      readonly step: components["schemas"]["Step"];
      /** @description Output of the step if it succeeded, also if a step inside it or a signal provides the output. */
      readonly output?: contracts.Json;
      /** @description The artifact that holds the output as JSON, if an event cannot. `output` is absent if it has more than 4 MiB, or if the artifact cannot be read. */
      readonly outputArtifact?: components["schemas"]["ArtifactRef"];
      /** @description Events of the step's last 100 attempts, oldest first, with payloads. */
      readonly events: readonly components["schemas"]["RunEvent"][];
    };
    /** @description Number of steps inside a container by status. */
    readonly StepGroup: {
      /** @description Id of the container. */
      readonly stepId: string;
      readonly done: number;
      readonly failed: number;
      readonly running: number;
      readonly waiting: number;
      readonly skipped: number;
    };
    readonly StepPage: {
      readonly items: readonly components["schemas"]["Step"][];
      /** @description Value of `after` for the next page. `null` on the last page. */
      readonly next: string | null;
    };
    /** @description A step, or the items `from` to `to` of one step inside a container. */
    readonly StepRange: contracts.StepRange;
    /** @description An artifact of a run. */
    readonly StoredArtifact: {
      readonly artifactId: string;
      /** @description Address of the artifact, as steps and events refer to it. */
      readonly uri: string;
      /** @description `log` for the output of a step, else the kind that the step chose. */
      readonly kind: string;
      /** @description Step that wrote the artifact. Absent if it belongs to the run as a whole. */
      readonly stepId?: string;
      readonly attempt?: number;
      /** @description SHA-256 of the content. Absent while the artifact is being written, and for an artifact in a folder or a bucket: the event that refers to it has it. */
      readonly sha256?: string;
      readonly sizeBytes?: number;
      /**
       * @description ISO 8601 timestamp in UTC.
       * @example 2026-11-14T08:14:03.120Z
       */
      readonly createdAt: string;
      /**
       * @description From then on a retention policy deletes the content, once the run is archived and no other run needs it. Absent if the artifact is kept until its run is deleted.
       * @example 2026-11-14T08:14:03.120Z
       */
      readonly expiresAt?: string;
      /**
       * @description Time when a retention policy deleted the content. Absent if the content exists.
       * @example 2026-11-14T08:14:03.120Z
       */
      readonly expiredAt?: string;
    };
    /** @description An event of a run's log, as a message of a stream. */
    readonly StreamedEvent: {
      readonly runId: string;
      /** @description Position in the run: 1 to n. An append authority that is not the default may leave gaps. */
      readonly runSeq: number;
      readonly eventId: string;
      readonly eventType: string;
      /** @description Absent if the event concerns the run as a whole. */
      readonly stepId?: string;
      /** @description Counts how often the platform ran this attempt: 1, and one more per takeover. */
      readonly engineAttemptId?: string;
      /** @description Counts attempts that a policy or an operator requests. */
      readonly logicalAttemptId?: string;
      readonly eventData: contracts.Json;
      readonly idempotencyKey: string;
      /**
       * @description Time of the event by the emitter's clock.
       * @example 2026-11-14T08:14:03.120Z
       */
      readonly emittedAt: string;
      /**
       * @description Time of the append by the store's clock.
       * @example 2026-11-14T08:14:03.120Z
       */
      readonly persistedAt?: string;
      /** @description Engine and version that wrote the event, such as embedded-v1.2.3. */
      readonly adapterVersion?: string;
      /** @description Id of the run on the executing platform. */
      readonly engineRunRef?: contracts.Json;
      /** @description Signal that caused the event. */
      readonly causedBySignalId?: string;
      /** @description Event of the same run that this event follows from. */
      readonly parentEventId?: string;
      readonly planId?: string;
      readonly planVersion?: string;
      /** @constant */
      readonly type: "event";
    };
    /** @description A subscription to the events of the tenant's runs, and how far it is. */
    readonly Subscription: {
      readonly subscriptionId: string;
      readonly bus: components["schemas"]["BusSettings"];
      readonly filter: components["schemas"]["SubscriptionFilter"];
      /** @description Failed attempts after which an event becomes a dead letter. */
      readonly maxAttempts: number;
      /** @description Events that were stored earlier are not delivered. `null` if all are. */
      readonly startsAt: string | null;
      /**
       * @description ISO 8601 timestamp in UTC.
       * @example 2026-11-14T08:14:03.120Z
       */
      readonly createdAt: string;
      /**
       * @description `unavailable` while the bus cannot be reached. Events wait and nothing is lost.
       * @enum {string}
       */
      readonly state: "active" | "paused" | "unavailable";
      /** @description `null` if the subscription is not paused. */
      readonly pausedAt: string | null;
      /** @description Runs with events that were not delivered, at most 10,000. */
      readonly pendingRuns: number;
      /** @description Time since which the oldest of them waits. `null` if there is none. */
      readonly oldestPendingAt: string | null;
      /** @description Seconds since `oldestPendingAt`. 0 if nothing waits. */
      readonly lagSeconds: number;
      /** @description Runs that wait behind a dead letter, at most 10,000. */
      readonly deadLetters: number;
      /** @description `true` while runs that existed before the subscription are being listed. */
      readonly isFilling: boolean;
      /** @description Consecutive attempts at which the bus was unavailable. */
      readonly failures: number;
      /** @description No delivery is attempted before this time. `null` if the bus is available. */
      readonly retryAt: string | null;
      /** @description The last failed attempt. `null` if none failed. */
      readonly lastError: {
        /**
         * @description ISO 8601 timestamp in UTC.
         * @example 2026-11-14T08:14:03.120Z
         */
        readonly at: string;
        readonly message: string;
      } | null;
      /** @description `null` if nothing was delivered. */
      readonly lastDeliveredAt: string | null;
    };
    /** @description Selects events. An absent part selects everything. */
    readonly SubscriptionFilter: {
      /** @description Ids of workflows. */
      readonly workflows?: readonly string[];
      /** @description Types of events, such as `RunCompleted`. */
      readonly eventTypes?: readonly string[];
      /** @description A run needs all of these labels. */
      readonly labels?: {
        readonly [key: string]: string;
      };
    };
    readonly SubscriptionPage: {
      readonly items: readonly components["schemas"]["Subscription"][];
      /** @description Value of `after` for the next page. `null` on the last page. */
      readonly next: string | null;
    };
    /** @description A subscription. Secrets are named, never included. */
    readonly SubscriptionRequest: {
      readonly bus: components["schemas"]["BusSettings"];
      readonly filter?: components["schemas"]["SubscriptionFilter"];
      /** @description Failed attempts after which an event becomes a dead letter. Defaults to 20. */
      readonly maxAttempts?: number;
      /**
       * @description Start of a new subscription: `beginning`, `now` or an ISO 8601 time. Defaults to `now`.
       * @example beginning
       */
      readonly from?: string;
    };
    /** @description The outcome of a test. */
    readonly TestDelivery: {
      readonly isDelivered: boolean;
      /** @description Absent if the test event was delivered. */
      readonly error?: string;
    };
    /** @description Timing of a schedule that is not saved. */
    readonly TimesRequest: {
      /**
       * @description Cron expression with five fields, or six with seconds first.
       * @example 0 2 * * *
       */
      readonly cron?: string;
      /**
       * @description Time zone of `cron`. Defaults to UTC.
       * @example Europe/Berlin
       */
      readonly timeZone?: string;
      /**
       * @description Fixed interval of at least one second.
       * @example 15m
       */
      readonly every?: string;
      /**
       * @description First time of `every`.
       * @example 2026-11-14T08:14:03.120Z
       */
      readonly from?: string;
      /**
       * @description Time of a single run.
       * @example 2026-11-14T08:14:03.120Z
       */
      readonly at?: string;
      /** @description Number of times. Defaults to 5. */
      readonly count?: number;
    };
    /** @description Starts a run of the tenant for each event of a source. */
    readonly Trigger: {
      readonly triggerId: string;
      readonly source: components["schemas"]["SourceSettings"];
      /** @description Id of the workflow. */
      readonly workflow: string;
      /** @description Defaults to the version that was published last. */
      readonly version?: string;
      /** @description CEL that selects events, as in `event.type == "order.created"`. Absent if every event starts a run. */
      readonly filter?: string;
      /** @description CEL that computes the input. Defaults to `event.data`. */
      readonly input?: string;
      /** @description CEL that computes the key that has one run. Defaults to the source and the id of the event. */
      readonly key?: string;
      /** @description CEL that computes labels of the run, by name. */
      readonly labels?: {
        readonly [key: string]: string;
      };
      /** @description CEL that computes the key of runs that run one at a time. */
      readonly concurrencyKey?: string;
      readonly projectId: string;
      readonly environmentId: string;
      readonly priority: number;
      /** @description Failed attempts after which an event of a broker is rejected. */
      readonly maxAttempts: number;
      /** @description Events that a broker stored earlier start no run. `null` if all do. */
      readonly startsAt: string | null;
      /**
       * @description ISO 8601 timestamp in UTC.
       * @example 2026-11-14T08:14:03.120Z
       */
      readonly createdAt: string;
      /**
       * @description `unavailable` while the source cannot be reached. Events wait there and nothing is lost.
       * @enum {string}
       */
      readonly state: "active" | "paused" | "unavailable";
      /** @description `null` if the trigger is not paused. */
      readonly pausedAt: string | null;
      /** @description Events that started a run. */
      readonly started: number;
      /** @description Events whose run existed. */
      readonly repeated: number;
      /** @description Events that the filter excluded. */
      readonly skipped: number;
      /** @description Events that could not start a run. */
      readonly rejected: number;
      /** @description `null` if no event arrived. */
      readonly lastEventAt: string | null;
      /** @description The last run. `null` if there is none. */
      readonly lastRunId: string | null;
      /** @description Consecutive attempts at which the source was unavailable. */
      readonly failures: number;
      /** @description The last error of the source or of an event. `null` if nothing failed. */
      readonly lastError: {
        /**
         * @description ISO 8601 timestamp in UTC.
         * @example 2026-11-14T08:14:03.120Z
         */
        readonly at: string;
        readonly message: string;
      } | null;
      /** @description The last rejected events, newest first, at most 20. */
      readonly rejections: readonly {
        /**
         * @description ISO 8601 timestamp in UTC.
         * @example 2026-11-14T08:14:03.120Z
         */
        readonly at: string;
        /** @description `null` if the message has no readable id. */
        readonly eventId: string | null;
        /** @description Place of the event in its source. */
        readonly position: string;
        readonly message: string;
      }[];
    };
    readonly TriggerPage: {
      readonly items: readonly components["schemas"]["Trigger"][];
      /** @description Value of `after` for the next page. `null` on the last page. */
      readonly next: string | null;
    };
    /** @description A trigger. Secrets are named, never included. */
    readonly TriggerRequest: {
      readonly source: components["schemas"]["SourceSettings"];
      /** @description Id of the workflow. */
      readonly workflow: string;
      /** @description Defaults to the version that was published last. */
      readonly version?: string;
      /** @description CEL that selects events, as in `event.type == "order.created"`. Absent if every event starts a run. */
      readonly filter?: string;
      /** @description CEL that computes the input. Defaults to `event.data`. */
      readonly input?: string;
      /** @description CEL that computes the key that has one run. Defaults to the source and the id of the event. */
      readonly key?: string;
      /** @description CEL that computes labels of the run, by name. */
      readonly labels?: {
        readonly [key: string]: string;
      };
      /** @description CEL that computes the key of runs that run one at a time. */
      readonly concurrencyKey?: string;
      /** @description Defaults to `default`. */
      readonly projectId?: string;
      /** @description Defaults to `default`. */
      readonly environmentId?: string;
      /** @description Priority of the runs. Defaults to 0. */
      readonly priority?: number;
      /** @description Failed attempts after which an event of a broker is rejected. Defaults to 5. */
      readonly maxAttempts?: number;
      /** @description The first events of a broker that start runs of a new trigger: `beginning`, `now` or an ISO 8601 time. Defaults to `now`. */
      readonly from?: string;
    };
    /** @description The outcome that an event would have. */
    readonly TriggerTest: {
      /** @enum {string} */
      readonly outcome: "start" | "skipped" | "rejected";
      /** @description The key that has one run. Only with `start`. */
      readonly key?: string;
      /** @description The input of the run. Only with `start`. */
      readonly input?: contracts.Json;
      /** @description Only with `start`. */
      readonly labels?: {
        readonly [key: string]: string;
      };
      /** @description Only with `rejected`. */
      readonly error?: string;
    };
    /** @description An event to try. */
    readonly TriggerTestRequest: {
      /** @description A CloudEvent, or any JSON as its data. */
      readonly event: contracts.Json;
    };
    /** @description A workflow version that open runs need and no worker has. */
    readonly UnservedPlan: {
      readonly planId: string;
      readonly planVersion: string;
      /** @description Log format of the runs. */
      readonly logFormat: number;
      /**
       * @description The part that no worker supports.
       * @enum {string}
       */
      readonly missing: "plan" | "logFormat";
      /** @description Number of open runs. `null` if the caller may not act for all tenants. */
      readonly openRuns: number | null;
      /** @description The reason as a sentence. */
      readonly reason: string;
    };
    /** @description A reason why a run does not run. */
    readonly WaitReason: {
      /** @enum {string} */
      readonly kind: "delayed" | "paused" | "approval" | "signal" | "timer" | "child" | "worker" | "limit" | "turn";
      /** @description The reason as a sentence. */
      readonly text: string;
      /** @description Time at which the wait ends without intervention. `null` if unknown. */
      readonly until?: string | null;
      /** @description Step that waits. */
      readonly stepId?: string;
      /** @description Name of the signal, for `signal`. */
      readonly signal?: string;
      /** @description The child run, for `child`. */
      readonly runId?: string;
      /** @description Number of runs that are served first, for `turn`. */
      readonly ahead?: number;
      /** @description The limit, for `limit`. */
      readonly target?: {
        /** @enum {string} */
        readonly scope: "overall" | "tenant" | "project" | "workflow" | "concurrencyKey";
        readonly subject: string;
      };
      /**
       * @description The exhausted part of the limit: `running` for `maxRunning`.
       * @enum {string}
       */
      readonly what?: "running" | "rate";
      /** @description Value of the limit. */
      readonly value?: number;
      /** @description Some of the caller's runs that use up the limit. */
      readonly holders?: readonly string[];
      /** @description Time at which the rate allows another start. */
      readonly freeAt?: string | null;
      readonly message?: string;
    };
    /** @description Runs and lists to watch. */
    readonly WatchRequest: {
      /** @description Runs by id, each with the seq after which to start; 0 for all events. */
      readonly runs?: {
        readonly [key: string]: number;
      };
      /** @description Lists by a name of your choice, which their messages repeat. */
      readonly lists?: {
        readonly [key: string]: {
          /** @description Selects the runs of the list. Defaults to all runs. */
          readonly filter?: components["schemas"]["RunFilter"];
          /** @description The `place` of the list's last message, to resume after it. */
          readonly after?: string;
        };
      };
      /** @description `false` to omit inputs, outputs, signal payloads, patches and state. Defaults to `true`. */
      readonly payloads?: boolean;
    };
    /** @description Changes of a watched list. */
    readonly WatchedListChange: {
      readonly runs: readonly components["schemas"]["RunSummary"][];
      readonly gone: readonly string[];
      /** @description Name of the list in the request. */
      readonly list: string;
      /** @description Value of `after` to resume after this message. */
      readonly place: string;
    };
    /** @description The newest 100 runs of a watched list. */
    readonly WatchedListSnapshot: {
      readonly runs: readonly components["schemas"]["RunSummary"][];
      /** @description Name of the list in the request. */
      readonly list: string;
      /** @description Value of `after` to resume after this message. */
      readonly place: string;
    };
    /** @description A worker as its heartbeats describe it. */
    readonly WorkerInfo: {
      /** @description A caller of one tenant sees a name that differs from those that other tenants see. */
      readonly workerId: string;
      readonly alive: boolean;
      /**
       * @description The worker counts as lost after this time, unless it sends a heartbeat before.
       * @example 2026-11-14T08:14:03.120Z
       */
      readonly expiresAt: string;
      /** @description `null` if unknown. */
      readonly lastHeartbeatAt: string | null;
      /** @description Newest log format that the worker supports. */
      readonly logFormat: number;
      /** @description Workflow versions that the worker can run. */
      readonly plans: readonly components["schemas"]["PlanRef"][];
      /** @description Runs of the caller's tenant that the worker drives, at most 200. Waiting runs have no worker. */
      readonly runs: readonly {
        readonly planId: string;
        readonly planVersion: string;
        readonly runId: string;
      }[];
    };
    /** @description Workers and workflow versions without a worker. */
    readonly WorkerList: {
      /**
       * @description Current time of the store's clock, which all times here use.
       * @example 2026-11-14T08:14:03.120Z
       */
      readonly now: string;
      readonly items: readonly components["schemas"]["WorkerInfo"][];
      /** @description Workflow versions that open runs need and no worker has. */
      readonly unserved: readonly components["schemas"]["UnservedPlan"][];
    };
    /** @description A workflow and the history of its runs. */
    readonly WorkflowDetail: {
      readonly workflowId: string;
      /**
       * @description ISO 8601 timestamp in UTC.
       * @example 2026-11-14T08:14:03.120Z
       */
      readonly publishedAt: string;
      /** @description Number of published versions. */
      readonly versionCount: number;
      /** @description Tenants that see the workflow and may start it. A caller of one tenant sees only its own name. */
      readonly visibility:
        | "shared"
        | {
            readonly tenants: readonly string[];
          };
      /** @description Plan of the version that was published last. */
      readonly plan: components["schemas"]["RunPlan"];
      /** @description Runs of the tenant by status, of all versions. */
      readonly counts: components["schemas"]["RunCounts"];
      readonly history: components["schemas"]["WorkflowHistory"];
    };
    /** @description A workflow file as JSON. `workflow` and `version` are optional, because the path contains them. */
    readonly WorkflowDocument: {
      readonly [key: string]: contracts.Json;
    };
    /** @description The last runs of a workflow by step, and their durations. */
    readonly WorkflowHistory: {
      /** @description The first 200 steps outside containers, of all versions in the history. */
      readonly steps: readonly string[];
      /** @description The last runs, newest first, at most 50. */
      readonly runs: readonly components["schemas"]["WorkflowHistoryColumn"][];
      /** @description Median duration of the completed runs. `null` if there is none. */
      readonly p50Ms: number | null;
      /** @description 95th percentile of the durations. */
      readonly p95Ms: number | null;
    };
    /** @description A run as a column of the history. */
    readonly WorkflowHistoryColumn: {
      readonly runId: string;
      readonly version: string;
      /** @enum {string} */
      readonly status: "PENDING" | "APPROVED" | "RUNNING" | "PAUSED" | "COMPLETED" | "FAILED" | "CANCELLED";
      /**
       * @description ISO 8601 timestamp in UTC.
       * @example 2026-11-14T08:14:03.120Z
       */
      readonly createdAt: string;
      /** @description `null` if the run has not finished. */
      readonly durationMs: number | null;
      /** @description Statuses in the order of `steps`. `null` if the run does not have the step. */
      readonly stepStatuses: readonly (("PENDING" | "RUNNING" | "SUCCESS" | "FAILED" | "SKIPPED") | null)[];
      /** @description Durations in the order of `steps`. `null` if the step has not finished. */
      readonly stepDurationsMs: readonly (number | null)[];
    };
    readonly WorkflowPage: {
      readonly items: readonly components["schemas"]["WorkflowSummary"][];
      /** @description Value of `after` for the next page. `null` on the last page. */
      readonly next: string | null;
    };
    /** @description A workflow in a list. */
    readonly WorkflowSummary: {
      readonly workflowId: string;
      /** @description Version that was published last. */
      readonly version: string;
      /**
       * @description ISO 8601 timestamp in UTC.
       * @example 2026-11-14T08:14:03.120Z
       */
      readonly publishedAt: string;
      /** @description Number of published versions. */
      readonly versionCount: number;
      /** @description Tenants that see the workflow and may start it. A caller of one tenant sees only its own name. */
      readonly visibility:
        | "shared"
        | {
            readonly tenants: readonly string[];
          };
      /** @description Runs of the tenant by status, of all versions. */
      readonly counts: components["schemas"]["RunCounts"];
      /** @description Newest run of the tenant. `null` if there is none. */
      readonly lastRun: components["schemas"]["RunSummary"] | null;
    };
    /** @description A published version of a workflow. */
    readonly WorkflowVersion: {
      readonly version: string;
      readonly hash: string;
      /**
       * @description ISO 8601 timestamp in UTC.
       * @example 2026-11-14T08:14:03.120Z
       */
      readonly publishedAt: string;
      readonly plan: components["schemas"]["RunPlan"];
    };
    readonly WorkflowVersionPage: {
      readonly items: readonly components["schemas"]["WorkflowVersion"][];
      /** @description Value of `after` for the next page. `null` on the last page. */
      readonly next: string | null;
    };
  };
  responses: never;
  parameters: never;
  requestBodies: never;
  headers: never;
  pathItems: never;
}
export type { AccessKey } from "@runledger/contracts";
export type AccessKeyPage = components["schemas"]["AccessKeyPage"];
export type AccessKeyRequest = components["schemas"]["AccessKeyRequest"];
export type ActionOutcome = components["schemas"]["ActionOutcome"];
export type ActionRequest = components["schemas"]["ActionRequest"];
export type Alert = components["schemas"]["Alert"];
export type ArtifactPage = components["schemas"]["ArtifactPage"];
export type { ArtifactRef } from "@runledger/contracts";
export type { StoredAuditEntry as AuditEntry } from "@runledger/contracts";
export type AuditPage = components["schemas"]["AuditPage"];
export type BackfillOutcome = components["schemas"]["BackfillOutcome"];
export type BackfillRequest = components["schemas"]["BackfillRequest"];
export type BackfillTick = components["schemas"]["BackfillTick"];
export type BackfilledPartition = components["schemas"]["BackfilledPartition"];
export type BulkItem = components["schemas"]["BulkItem"];
export type BulkOutcome = components["schemas"]["BulkOutcome"];
export type BulkRequest = components["schemas"]["BulkRequest"];
export type BusSettings = components["schemas"]["BusSettings"];
export type CaughtUp = components["schemas"]["CaughtUp"];
export type CreatedAccessKey = components["schemas"]["CreatedAccessKey"];
export type Dataset = components["schemas"]["Dataset"];
export type DatasetDetail = components["schemas"]["DatasetDetail"];
export type DatasetNeighbor = components["schemas"]["DatasetNeighbor"];
export type DatasetPage = components["schemas"]["DatasetPage"];
export type DatasetUse = components["schemas"]["DatasetUse"];
export type DeadLetter = components["schemas"]["DeadLetter"];
export type DeadLetterPage = components["schemas"]["DeadLetterPage"];
export type DiffRow = components["schemas"]["DiffRow"];
export type DiffSide = components["schemas"]["DiffSide"];
export type DueRuns = components["schemas"]["DueRuns"];
export type EventOutcome = components["schemas"]["EventOutcome"];
export type EventPage = components["schemas"]["EventPage"];
export type ForkOutcome = components["schemas"]["ForkOutcome"];
export type ForkRequest = components["schemas"]["ForkRequest"];
export type Health = components["schemas"]["Health"];
export type InspectedDeadLetter = components["schemas"]["InspectedDeadLetter"];
export type { Limit } from "@runledger/contracts";
export type LimitList = components["schemas"]["LimitList"];
export type LimitRemoved = components["schemas"]["LimitRemoved"];
export type LimitRequest = components["schemas"]["LimitRequest"];
export type LogBatch = components["schemas"]["LogBatch"];
export type LogLine = components["schemas"]["LogLine"];
export type LogPage = components["schemas"]["LogPage"];
export type LogsEnded = components["schemas"]["LogsEnded"];
export type Me = components["schemas"]["Me"];
export type Partition = components["schemas"]["Partition"];
export type PartitionBackfillOutcome = components["schemas"]["PartitionBackfillOutcome"];
export type PartitionBackfillRequest = components["schemas"]["PartitionBackfillRequest"];
export type PartitionList = components["schemas"]["PartitionList"];
export type { PendingSignal } from "@runledger/contracts";
export type { PlanRef } from "@runledger/contracts";
export type Problem = components["schemas"]["Problem"];
export type PublishedWorkflow = components["schemas"]["PublishedWorkflow"];
export type QueueCounts = components["schemas"]["QueueCounts"];
export type QueuePage = components["schemas"]["QueuePage"];
export type QueuedRun = components["schemas"]["QueuedRun"];
export type RefusedRun = components["schemas"]["RefusedRun"];
export type RetentionPolicy = components["schemas"]["RetentionPolicy"];
export type RetentionPolicyList = components["schemas"]["RetentionPolicyList"];
export type RetentionPolicyRemoved = components["schemas"]["RetentionPolicyRemoved"];
export type RetentionPolicyRequest = components["schemas"]["RetentionPolicyRequest"];
export type RetentionReport = components["schemas"]["RetentionReport"];
export type RewindRequest = components["schemas"]["RewindRequest"];
export type { RunHeader as Run } from "@runledger/contracts";
export type { RunCounts } from "@runledger/contracts";
export type RunDiff = components["schemas"]["RunDiff"];
export type RunEnded = components["schemas"]["RunEnded"];
export type RunErasure = components["schemas"]["RunErasure"];
export type RunErasureRequest = components["schemas"]["RunErasureRequest"];
export type { RunError } from "@runledger/contracts";
export type { CanonicalEngineEvent as RunEvent } from "@runledger/contracts";
export type RunFilter = components["schemas"]["RunFilter"];
export type RunHistogram = components["schemas"]["RunHistogram"];
export type RunLandmark = components["schemas"]["RunLandmark"];
export type RunListChange = components["schemas"]["RunListChange"];
export type RunListSnapshot = components["schemas"]["RunListSnapshot"];
export type RunOutline = components["schemas"]["RunOutline"];
export type RunPage = components["schemas"]["RunPage"];
export type RunPlan = components["schemas"]["RunPlan"];
export type { RunSummary } from "@runledger/contracts";
export type Schedule = components["schemas"]["Schedule"];
export type SchedulePage = components["schemas"]["SchedulePage"];
export type ScheduleRequest = components["schemas"]["ScheduleRequest"];
export type ScheduleTimes = components["schemas"]["ScheduleTimes"];
export type ScheduleTiming = components["schemas"]["ScheduleTiming"];
export type SessionRequest = components["schemas"]["SessionRequest"];
export type SignalOutcome = components["schemas"]["SignalOutcome"];
export type SignalRequest = components["schemas"]["SignalRequest"];
export type SlowStep = components["schemas"]["SlowStep"];
export type SlowSteps = components["schemas"]["SlowSteps"];
export type SourceSettings = components["schemas"]["SourceSettings"];
export type StartManyOutcome = components["schemas"]["StartManyOutcome"];
export type StartManyRequest = components["schemas"]["StartManyRequest"];
export type StartOutcome = components["schemas"]["StartOutcome"];
export type StartRequest = components["schemas"]["StartRequest"];
export type StartedRun = components["schemas"]["StartedRun"];
export type { StepRow as Step } from "@runledger/contracts";
export type StepDetail = components["schemas"]["StepDetail"];
export type StepGroup = components["schemas"]["StepGroup"];
export type StepPage = components["schemas"]["StepPage"];
export type { StepRange } from "@runledger/contracts";
export type StoredArtifact = components["schemas"]["StoredArtifact"];
export type StreamedEvent = components["schemas"]["StreamedEvent"];
export type Subscription = components["schemas"]["Subscription"];
export type SubscriptionFilter = components["schemas"]["SubscriptionFilter"];
export type SubscriptionPage = components["schemas"]["SubscriptionPage"];
export type SubscriptionRequest = components["schemas"]["SubscriptionRequest"];
export type TestDelivery = components["schemas"]["TestDelivery"];
export type TimesRequest = components["schemas"]["TimesRequest"];
export type Trigger = components["schemas"]["Trigger"];
export type TriggerPage = components["schemas"]["TriggerPage"];
export type TriggerRequest = components["schemas"]["TriggerRequest"];
export type TriggerTest = components["schemas"]["TriggerTest"];
export type TriggerTestRequest = components["schemas"]["TriggerTestRequest"];
export type UnservedPlan = components["schemas"]["UnservedPlan"];
export type WaitReason = components["schemas"]["WaitReason"];
export type WatchRequest = components["schemas"]["WatchRequest"];
export type WatchedListChange = components["schemas"]["WatchedListChange"];
export type WatchedListSnapshot = components["schemas"]["WatchedListSnapshot"];
export type WorkerInfo = components["schemas"]["WorkerInfo"];
export type WorkerList = components["schemas"]["WorkerList"];
export type WorkflowDetail = components["schemas"]["WorkflowDetail"];
export type WorkflowDocument = components["schemas"]["WorkflowDocument"];
export type WorkflowHistory = components["schemas"]["WorkflowHistory"];
export type WorkflowHistoryColumn = components["schemas"]["WorkflowHistoryColumn"];
export type WorkflowPage = components["schemas"]["WorkflowPage"];
export type WorkflowSummary = components["schemas"]["WorkflowSummary"];
export type WorkflowVersion = components["schemas"]["WorkflowVersion"];
export type WorkflowVersionPage = components["schemas"]["WorkflowVersionPage"];
export type $defs = Record<string, never>;
export interface operations {
  readonly listRuns: {
    readonly parameters: {
      readonly query?: {
        /** @description Only runs of this workflow. */
        readonly workflow?: string;
        /** @description Only runs of this project. */
        readonly project?: string;
        /** @description Only runs of this environment. */
        readonly environment?: string;
        /** @description Only runs with one of these statuses, separated by commas. */
        readonly status?: readonly (
          "PENDING" | "APPROVED" | "RUNNING" | "PAUSED" | "COMPLETED" | "FAILED" | "CANCELLED"
        )[];
        /** @description Only runs of this version of the workflow. */
        readonly version?: string;
        /** @description Only runs with all of these labels, such as `team:data,env:prod`. */
        readonly labels?: readonly string[];
        /** @description Only runs created at this time or later. */
        readonly createdFrom?: string;
        /** @description Only runs created before this time. */
        readonly createdTo?: string;
        /** @description Text that occurs in the failing step's id, or in the error's code or message. */
        readonly error?: string;
        /** @description Only child runs of this run. */
        readonly parent?: string;
        /** @description Only runs of this schedule. */
        readonly schedule?: string;
        /** @description The `next` of the previous page. */
        readonly after?: string;
        /** @description Maximum number of items. Defaults to 50. */
        readonly limit?: number;
      };
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: never;
  };
  readonly countRuns: {
    readonly parameters: {
      readonly query?: {
        /** @description Only runs of this workflow. */
        readonly workflow?: string;
        /** @description Only runs of this project. */
        readonly project?: string;
        /** @description Only runs of this environment. */
        readonly environment?: string;
      };
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: never;
  };
  readonly runHistogram: {
    readonly parameters: {
      readonly query: {
        /** @description Only runs of this workflow. */
        readonly workflow?: string;
        /** @description Only runs of this project. */
        readonly project?: string;
        /** @description Only runs of this environment. */
        readonly environment?: string;
        /** @description Only runs of this version of the workflow. */
        readonly version?: string;
        /** @description Only runs with all of these labels, such as `team:data,env:prod`. */
        readonly labels?: readonly string[];
        /** @description Text that occurs in the failing step's id, or in the error's code or message. */
        readonly error?: string;
        /** @description Only child runs of this run. */
        readonly parent?: string;
        /** @description Only runs of this schedule. */
        readonly schedule?: string;
        /** @description Start of the range. */
        readonly from: string;
        /** @description End of the range, exclusive. */
        readonly to: string;
        /** @description Width of a bar. */
        readonly bucket: "minute" | "hour" | "day";
      };
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: never;
  };
  readonly streamRuns: {
    readonly parameters: {
      readonly query?: {
        /** @description Only runs of this workflow. */
        readonly workflow?: string;
        /** @description Only runs of this project. */
        readonly project?: string;
        /** @description Only runs of this environment. */
        readonly environment?: string;
        /** @description Only runs with one of these statuses, separated by commas. */
        readonly status?: readonly (
          "PENDING" | "APPROVED" | "RUNNING" | "PAUSED" | "COMPLETED" | "FAILED" | "CANCELLED"
        )[];
        /** @description Only runs of this version of the workflow. */
        readonly version?: string;
        /** @description Only runs with all of these labels, such as `team:data,env:prod`. */
        readonly labels?: readonly string[];
        /** @description Only runs created at this time or later. */
        readonly createdFrom?: string;
        /** @description Only runs created before this time. */
        readonly createdTo?: string;
        /** @description Text that occurs in the failing step's id, or in the error's code or message. */
        readonly error?: string;
        /** @description Only child runs of this run. */
        readonly parent?: string;
        /** @description Only runs of this schedule. */
        readonly schedule?: string;
      };
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: never;
  };
  readonly getRun: {
    readonly parameters: {
      readonly query?: {
        /** @description Returns the state at this seq of the run's log. Defaults to the current state. */
        readonly atSeq?: number;
        /** @description Waits up to this long for the run to finish, such as `30s`, then returns it as it is. The server responds after 28 seconds at the latest. */
        readonly wait?: string;
      };
      readonly header?: never;
      readonly path: {
        readonly runId: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: never;
  };
  readonly getRunOutline: {
    readonly parameters: {
      readonly query?: {
        /** @description Returns the state at this seq of the run's log. Defaults to the current state. */
        readonly atSeq?: number;
      };
      readonly header?: never;
      readonly path: {
        readonly runId: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: never;
  };
  readonly listSteps: {
    readonly parameters: {
      readonly query?: {
        /** @description The `next` of the previous page. */
        readonly after?: number;
        /** @description Maximum number of items. Defaults to 200. */
        readonly limit?: number;
        /** @description Returns the state at this seq of the run's log. Defaults to the current state. */
        readonly atSeq?: number;
      };
      readonly header?: never;
      readonly path: {
        readonly runId: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: never;
  };
  readonly listEvents: {
    readonly parameters: {
      readonly query?: {
        /** @description Only events with a higher seq. Defaults to 0. */
        readonly after?: number;
        /** @description Maximum number of items. Defaults to 200. */
        readonly limit?: number;
        /** @description `false` to omit inputs, outputs, signal payloads, patches and state. Defaults to `true`. */
        readonly payloads?: boolean;
      };
      readonly header?: never;
      readonly path: {
        readonly runId: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: never;
  };
  readonly streamRun: {
    readonly parameters: {
      readonly query?: {
        /** @description Only events with a higher seq. `Last-Event-ID` takes precedence. */
        readonly after?: number;
        /** @description `false` to omit inputs, outputs, signal payloads, patches and state. Defaults to `true`. */
        readonly payloads?: boolean;
        /** @description `ended` closes the stream once the run is finished. */
        readonly until?: "ended";
      };
      readonly header?: never;
      readonly path: {
        readonly runId: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: never;
  };
  readonly listLogs: {
    readonly parameters: {
      readonly query?: {
        /** @description Only lines of this step. */
        readonly stepId?: string;
        /** @description Only lines of this attempt. */
        readonly attempt?: number;
        /** @description The `next` of the previous page. */
        readonly after?: string;
        /** @description Maximum number of items. Defaults to 1000. */
        readonly limit?: number;
      };
      readonly header?: never;
      readonly path: {
        readonly runId: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: never;
  };
  readonly streamLogs: {
    readonly parameters: {
      readonly query?: {
        /** @description Only lines of this step. */
        readonly stepId?: string;
        /** @description Only lines of this attempt. */
        readonly attempt?: number;
        /** @description The `next` of the previous page. */
        readonly after?: string;
      };
      readonly header?: never;
      readonly path: {
        readonly runId: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: never;
  };
  readonly listArtifacts: {
    readonly parameters: {
      readonly query?: {
        /** @description Only artifacts of this step. */
        readonly stepId?: string;
        /** @description The `next` of the previous page. */
        readonly after?: string;
        /** @description Maximum number of items. Defaults to 100. */
        readonly limit?: number;
      };
      readonly header?: never;
      readonly path: {
        readonly runId: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: never;
  };
  readonly previewArtifact: {
    readonly parameters: {
      readonly query?: {
        /** @description First byte to return. Defaults to 0. */
        readonly offset?: number;
        /** @description Number of bytes to return. Defaults to 262144. The end of the artifact may come earlier. */
        readonly bytes?: number;
      };
      readonly header?: never;
      readonly path: {
        readonly runId: string;
        readonly artifactId: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: never;
  };
  readonly diffRuns: {
    readonly parameters: {
      readonly query?: {
        /** @description The `next` of the previous page. */
        readonly after?: number;
        /** @description Maximum number of items. Defaults to 500. */
        readonly limit?: number;
      };
      readonly header?: never;
      readonly path: {
        readonly runId: string;
        readonly otherRunId: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: never;
  };
  readonly listWorkflows: {
    readonly parameters: {
      readonly query?: {
        /** @description The `next` of the previous page. */
        readonly after?: string;
        /** @description Maximum number of items. Defaults to 50. */
        readonly limit?: number;
      };
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: never;
  };
  readonly listVersions: {
    readonly parameters: {
      readonly query?: {
        /** @description The `next` of the previous page. */
        readonly after?: string;
        /** @description Maximum number of items. Defaults to 10. */
        readonly limit?: number;
      };
      readonly header?: never;
      readonly path: {
        readonly workflowId: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: never;
  };
  readonly listSlowestSteps: {
    readonly parameters: {
      readonly query?: {
        /** @description Number of runs to compare. Defaults to 10. */
        readonly runs?: number;
        /** @description Maximum number of items. Defaults to 10. */
        readonly limit?: number;
      };
      readonly header?: never;
      readonly path: {
        readonly workflowId: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: never;
  };
  readonly listPartitions: {
    readonly parameters: {
      readonly query?: {
        /** @description First partition. Without it, the last 100 up to `to`. */
        readonly from?: string;
        /** @description Last partition. Defaults to the last complete one. */
        readonly to?: string;
        /** @description Project of the runs. Defaults to `default`. */
        readonly projectId?: string;
        /** @description Environment of the runs. Defaults to `default`. */
        readonly environmentId?: string;
      };
      readonly header?: never;
      readonly path: {
        readonly workflowId: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: never;
  };
  readonly listDatasets: {
    readonly parameters: {
      readonly query?: {
        /** @description A part of the name. Case-insensitive. */
        readonly text?: string;
        /** @description The `next` of the previous page. */
        readonly after?: string;
        /** @description Maximum number of items. Defaults to 100. */
        readonly limit?: number;
      };
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: never;
  };
  readonly getDataset: {
    readonly parameters: {
      readonly query: {
        readonly name: string;
        /** @description Defaults to `runledger`. */
        readonly namespace?: string;
      };
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: never;
  };
  readonly listSchedules: {
    readonly parameters: {
      readonly query?: {
        /** @description Only schedules of this workflow. Pages may then be shorter than `limit`. */
        readonly workflow?: string;
        /** @description The `next` of the previous page. */
        readonly after?: string;
        /** @description Maximum number of items. Defaults to 100. */
        readonly limit?: number;
      };
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: never;
  };
  readonly nextTimes: {
    readonly parameters: {
      readonly query?: {
        /** @description Number of times. Defaults to 5. */
        readonly count?: number;
      };
      readonly header?: never;
      readonly path: {
        readonly scheduleId: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: never;
  };
  readonly listSubscriptions: {
    readonly parameters: {
      readonly query?: {
        /** @description The `next` of the previous page. */
        readonly after?: string;
        /** @description Maximum number of items. Defaults to 50. */
        readonly limit?: number;
      };
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: never;
  };
  readonly listDeadLetters: {
    readonly parameters: {
      readonly query?: {
        /** @description Only dead letters of this subscription. */
        readonly subscription?: string;
        /** @description The `next` of the previous page. */
        readonly after?: string;
        /** @description Maximum number of items. Defaults to 100. */
        readonly limit?: number;
      };
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: never;
  };
  readonly listTriggers: {
    readonly parameters: {
      readonly query?: {
        /** @description The `next` of the previous page. */
        readonly after?: string;
        /** @description Maximum number of items. Defaults to 50. */
        readonly limit?: number;
      };
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: never;
  };
  readonly sendEvent: {
    readonly parameters: {
      readonly query?: {
        /** @description The tenant of the trigger. Defaults to `default`. */
        readonly tenant?: string;
      };
      readonly header?: never;
      readonly path: {
        readonly triggerId: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: never;
  };
  readonly listQueue: {
    readonly parameters: {
      readonly query?: {
        /** @description The `next` of the previous page. */
        readonly after?: string;
        /** @description Maximum number of items. Defaults to 50. */
        readonly limit?: number;
      };
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: never;
  };
  readonly removeLimit: {
    readonly parameters: {
      readonly query: {
        /** @description Kind of subject that the limit applies to. */
        readonly scope: "overall" | "tenant" | "project" | "workflow" | "concurrencyKey";
        /** @description Empty for `overall`; an id for `tenant` and `workflow`; `<tenant>|<id>` for `project` and `concurrencyKey`. `*` applies to every subject without its own limit. */
        readonly subject?: string;
      };
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: never;
  };
  readonly removeRetention: {
    readonly parameters: {
      readonly query: {
        /** @description The data that the policy covers. */
        readonly kind: "runs" | "artifacts" | "startKeys" | "deadLetters" | "feed" | "audit";
        /** @description `*` applies to every tenant without its own policy. `feed` and `audit` have no other. */
        readonly tenantId: string;
        /** @description `*` applies to every workflow without its own policy. Only `runs` have others. For `artifacts`, the kind of artifact: `*` applies to every kind without its own policy. */
        readonly workflowId?: string;
      };
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: never;
  };
  readonly listKeys: {
    readonly parameters: {
      readonly query?: {
        /** @description The `next` of the previous page. */
        readonly after?: string;
        /** @description Maximum number of items. Defaults to 100. */
        readonly limit?: number;
      };
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: never;
  };
  readonly listAudit: {
    readonly parameters: {
      readonly query?: {
        /** @description The `next` of the previous page. */
        readonly after?: number;
        /** @description Maximum number of items. Defaults to 100. */
        readonly limit?: number;
      };
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: never;
  };
}

export type ListRunsQuery = NonNullable<operations["listRuns"]["parameters"]["query"]>;
export type CountRunsQuery = NonNullable<operations["countRuns"]["parameters"]["query"]>;
export type RunHistogramQuery = NonNullable<operations["runHistogram"]["parameters"]["query"]>;
export type StreamRunsQuery = NonNullable<operations["streamRuns"]["parameters"]["query"]>;
export type GetRunQuery = NonNullable<operations["getRun"]["parameters"]["query"]>;
export type GetRunOutlineQuery = NonNullable<operations["getRunOutline"]["parameters"]["query"]>;
export type ListStepsQuery = NonNullable<operations["listSteps"]["parameters"]["query"]>;
export type ListEventsQuery = NonNullable<operations["listEvents"]["parameters"]["query"]>;
export type StreamRunQuery = NonNullable<operations["streamRun"]["parameters"]["query"]>;
export type ListLogsQuery = NonNullable<operations["listLogs"]["parameters"]["query"]>;
export type StreamLogsQuery = NonNullable<operations["streamLogs"]["parameters"]["query"]>;
export type ListArtifactsQuery = NonNullable<operations["listArtifacts"]["parameters"]["query"]>;
export type PreviewArtifactQuery = NonNullable<operations["previewArtifact"]["parameters"]["query"]>;
export type DiffRunsQuery = NonNullable<operations["diffRuns"]["parameters"]["query"]>;
export type ListWorkflowsQuery = NonNullable<operations["listWorkflows"]["parameters"]["query"]>;
export type ListVersionsQuery = NonNullable<operations["listVersions"]["parameters"]["query"]>;
export type ListSlowestStepsQuery = NonNullable<operations["listSlowestSteps"]["parameters"]["query"]>;
export type ListPartitionsQuery = NonNullable<operations["listPartitions"]["parameters"]["query"]>;
export type ListDatasetsQuery = NonNullable<operations["listDatasets"]["parameters"]["query"]>;
export type GetDatasetQuery = NonNullable<operations["getDataset"]["parameters"]["query"]>;
export type ListSchedulesQuery = NonNullable<operations["listSchedules"]["parameters"]["query"]>;
export type NextTimesQuery = NonNullable<operations["nextTimes"]["parameters"]["query"]>;
export type ListSubscriptionsQuery = NonNullable<operations["listSubscriptions"]["parameters"]["query"]>;
export type ListDeadLettersQuery = NonNullable<operations["listDeadLetters"]["parameters"]["query"]>;
export type ListTriggersQuery = NonNullable<operations["listTriggers"]["parameters"]["query"]>;
export type SendEventQuery = NonNullable<operations["sendEvent"]["parameters"]["query"]>;
export type ListQueueQuery = NonNullable<operations["listQueue"]["parameters"]["query"]>;
export type RemoveLimitQuery = NonNullable<operations["removeLimit"]["parameters"]["query"]>;
export type RemoveRetentionQuery = NonNullable<operations["removeRetention"]["parameters"]["query"]>;
export type ListKeysQuery = NonNullable<operations["listKeys"]["parameters"]["query"]>;
export type ListAuditQuery = NonNullable<operations["listAudit"]["parameters"]["query"]>;
