import { newId, omitUndefined, type Json } from "@runledger/contracts";
import type {
  AccessKey,
  AccessKeyPage,
  AccessKeyRequest,
  ActionOutcome,
  ActionRequest,
  ArtifactPage,
  AuditPage,
  BackfillOutcome,
  BackfillRequest,
  BulkOutcome,
  BulkRequest,
  CountRunsQuery,
  CreatedAccessKey,
  DeadLetterPage,
  DiffRunsQuery,
  DatasetDetail,
  DatasetPage,
  EventOutcome,
  EventPage,
  ForkOutcome,
  ForkRequest,
  GetDatasetQuery,
  GetRunOutlineQuery,
  GetRunQuery,
  Health,
  InspectedDeadLetter,
  Limit,
  LimitList,
  LimitRemoved,
  LimitRequest,
  ListArtifactsQuery,
  ListAuditQuery,
  ListDatasetsQuery,
  ListDeadLettersQuery,
  ListEventsQuery,
  ListKeysQuery,
  ListLogsQuery,
  ListPartitionsQuery,
  ListQueueQuery,
  ListSchedulesQuery,
  ListSlowestStepsQuery,
  ListStepsQuery,
  ListSubscriptionsQuery,
  ListTriggersQuery,
  ListVersionsQuery,
  ListWorkflowsQuery,
  LogBatch,
  LogLine,
  LogPage,
  Me,
  PartitionBackfillOutcome,
  PartitionBackfillRequest,
  PartitionList,
  PreviewArtifactQuery,
  PublishedWorkflow,
  QueuePage,
  QueuedRun,
  RemoveLimitQuery,
  RemoveRetentionQuery,
  RetentionPolicy,
  RetentionPolicyList,
  RetentionPolicyRemoved,
  RetentionPolicyRequest,
  RetentionReport,
  Run,
  RunCounts,
  RunDiff,
  RunErasure,
  RunErasureRequest,
  RunEvent,
  RunHistogram,
  RunHistogramQuery,
  RunListChange,
  RunListSnapshot,
  RunOutline,
  RunPage,
  RunPlan,
  Schedule,
  SchedulePage,
  ScheduleRequest,
  ScheduleTimes,
  SendEventQuery,
  SignalOutcome,
  SlowSteps,
  StartManyOutcome,
  StartManyRequest,
  StartRequest,
  StartedRun,
  StepDetail,
  StepPage,
  StreamLogsQuery,
  StreamRunQuery,
  Subscription,
  SubscriptionPage,
  SubscriptionRequest,
  TestDelivery,
  TimesRequest,
  Trigger,
  TriggerPage,
  TriggerRequest,
  TriggerTest,
  TriggerTestRequest,
  WorkerList,
  WorkflowDetail,
  WorkflowDocument,
  WorkflowPage,
  WorkflowVersionPage,
} from "./api-types.js";
import { anySignal } from "./retry.js";
import { toQuery, type RunListQuery, type StreamListQuery, type WithLabels } from "./run-queries.js";
import { SharedStarts } from "./shared-starts.js";
import { reconnectingStream, type StreamOptions } from "./stream.js";
import { Transport, type ClientOptions } from "./transport.js";
import { readMessage, WatchPlaces, type Watched, type WatchMessage } from "./watch.js";

export type ActionName = ActionOutcome["action"];

export interface FollowOptions extends StreamOptions, StreamRunQuery {
  /** Keeps the stream open after the run has finished, because a run may be reopened. Default: false. */
  readonly forever?: boolean;
}

/** A `snapshot` replaces the whole list. A `change` has the new and changed runs, and the ids of those that left the list. */
export interface RunListMessage extends RunListChange {
  readonly type: "snapshot" | "change";
}

/**
 * A typed client of the HTTP API. Requests that are safe to repeat are retried after a failure. Starts, signals and actions
 * are safe because each carries an id; the client generates one if the caller passes none.
 */
export class RunledgerClient {
  readonly #options: ClientOptions;
  readonly #transport: Transport;
  readonly #starts: SharedStarts;

  constructor(options: ClientOptions = {}) {
    this.#options = options;
    this.#transport = new Transport(options);
    this.#starts = new SharedStarts(this.#transport);
  }

  /** Returns a client whose requests stop when the signal aborts: `client.withSignal(AbortSignal.timeout(5000)).getRun(id)`. */
  withSignal(signal: AbortSignal): RunledgerClient {
    return new RunledgerClient({ ...this.#options, signal: anySignal(this.#options.signal, signal)! });
  }

  /** Starts a run. Concurrent calls share a request. */
  startRun(request: StartRequest): Promise<StartedRun> {
    return this.#starts.start(withRequestId(request));
  }

  /** Starts up to 100 runs. Each is started or refused on its own. */
  startRuns({ starts }: StartManyRequest): Promise<StartManyOutcome> {
    const body = { starts: starts.map(withRequestId) };
    return this.#transport.json({ method: "POST", path: "/runs/starts", body });
  }

  listRuns(query?: RunListQuery): Promise<RunPage> {
    return this.#transport.json({ method: "GET", path: "/runs", query: toQuery(query) });
  }

  countRuns(query?: CountRunsQuery): Promise<RunCounts> {
    return this.#transport.json({ method: "GET", path: "/run-counts", query });
  }

  runHistogram(query: WithLabels<RunHistogramQuery>): Promise<RunHistogram> {
    return this.#transport.json({ method: "GET", path: "/run-histogram", query: toQuery(query) });
  }

  getRun(runId: string, query?: GetRunQuery): Promise<Run> {
    return this.#transport.json({ method: "GET", path: `/runs/${encode(runId)}`, query });
  }

  getRunOutline(runId: string, query?: GetRunOutlineQuery): Promise<RunOutline> {
    return this.#transport.json({ method: "GET", path: `/runs/${encode(runId)}/outline`, query });
  }

  getRunPlan(runId: string): Promise<RunPlan> {
    return this.#transport.json({ method: "GET", path: `/runs/${encode(runId)}/plan` });
  }

  listSteps(runId: string, query?: ListStepsQuery): Promise<StepPage> {
    return this.#transport.json({ method: "GET", path: `/runs/${encode(runId)}/steps`, query });
  }

  getStep(runId: string, stepId: string): Promise<StepDetail> {
    return this.#transport.json({ method: "GET", path: `/runs/${encode(runId)}/steps/${encode(stepId)}` });
  }

  listEvents(runId: string, query?: ListEventsQuery): Promise<EventPage> {
    return this.#transport.json({ method: "GET", path: `/runs/${encode(runId)}/events`, query });
  }

  listLogs(runId: string, query?: ListLogsQuery): Promise<LogPage> {
    return this.#transport.json({ method: "GET", path: `/runs/${encode(runId)}/logs`, query });
  }

  listArtifacts(runId: string, query?: ListArtifactsQuery): Promise<ArtifactPage> {
    return this.#transport.json({ method: "GET", path: `/runs/${encode(runId)}/artifacts`, query });
  }

  /** Returns a response whose body streams the artifact's bytes. */
  getArtifact(runId: string, artifactId: string): Promise<Response> {
    return this.#transport.send({ method: "GET", path: artifactPath(runId, artifactId) });
  }

  /** Returns a part of an artifact. Images have their own content type. */
  previewArtifact(runId: string, artifactId: string, query?: PreviewArtifactQuery): Promise<Response> {
    const path = `${artifactPath(runId, artifactId)}/preview`;
    return this.#transport.send({ method: "GET", path, query });
  }

  act(runId: string, action: ActionName, request: ActionRequest = {}): Promise<ActionOutcome> {
    const body = { ...request, signalId: request.signalId ?? newId("sig") };
    return this.#transport.json({ method: "POST", path: `/runs/${encode(runId)}/actions/${action}`, body });
  }

  signal(runId: string, name: string, payload: Json, signalId = newId("sig")): Promise<SignalOutcome> {
    const path = `/runs/${encode(runId)}/signals/${encode(name)}`;
    return this.#transport.json({ method: "POST", path, body: { payload, signalId } });
  }

  /** Applies one action to many runs. Use `dryRun` to preview it. */
  actOnRuns(request: BulkRequest): Promise<BulkOutcome> {
    const body = withRequestId(request);
    return this.#transport.json({ method: "POST", path: "/runs/actions", body });
  }

  /** Starts a new run from a step of this run. */
  forkRun(runId: string, request: ForkRequest): Promise<ForkOutcome> {
    const body = withRequestId(request);
    return this.#transport.json({ method: "POST", path: `/runs/${encode(runId)}/fork`, body });
  }

  /** Erases the payloads of a finished run permanently. Its structure stays. */
  eraseRun(runId: string, request: RunErasureRequest): Promise<RunErasure> {
    return this.#transport.json({ method: "POST", path: `/runs/${encode(runId)}/erase`, body: request });
  }

  diffRuns(runId: string, otherRunId: string, query?: DiffRunsQuery): Promise<RunDiff> {
    return this.#transport.json({ method: "GET", path: `/runs/${encode(runId)}/diff/${encode(otherRunId)}`, query });
  }

  listWorkflows(query?: ListWorkflowsQuery): Promise<WorkflowPage> {
    return this.#transport.json({ method: "GET", path: "/workflows", query });
  }

  getWorkflow(workflowId: string): Promise<WorkflowDetail> {
    return this.#transport.json({ method: "GET", path: `/workflows/${encode(workflowId)}` });
  }

  listVersions(workflowId: string, query?: ListVersionsQuery): Promise<WorkflowVersionPage> {
    return this.#transport.json({ method: "GET", path: `/workflows/${encode(workflowId)}/versions`, query });
  }

  /** Compares the steps that runners recorded inside their steps, such as the nodes of a dbt project. */
  listSlowestSteps(workflowId: string, query?: ListSlowestStepsQuery): Promise<SlowSteps> {
    return this.#transport.json({ method: "GET", path: `/workflows/${encode(workflowId)}/slowest-steps`, query });
  }

  publishWorkflow(workflowId: string, version: string, document: WorkflowDocument): Promise<PublishedWorkflow> {
    const path = `/workflows/${encode(workflowId)}/${encode(version)}`;
    return this.#transport.json({ method: "PUT", path, body: document });
  }

  /** Lists partitions of a workflow with their states: the last 100 unless `from` is set. */
  listPartitions(workflowId: string, query?: ListPartitionsQuery): Promise<PartitionList> {
    return this.#transport.json({ method: "GET", path: `/workflows/${encode(workflowId)}/partitions`, query });
  }

  /** Safe to retry: a call finds the runs that an earlier one has started. */
  backfillPartitions(workflowId: string, request: PartitionBackfillRequest = {}): Promise<PartitionBackfillOutcome> {
    const path = `/workflows/${encode(workflowId)}/backfill`;
    return this.#transport.json({ method: "POST", path, body: request });
  }

  listWorkers(): Promise<WorkerList> {
    return this.#transport.json({ method: "GET", path: "/workers" });
  }

  listSchedules(query?: ListSchedulesQuery): Promise<SchedulePage> {
    return this.#transport.json({ method: "GET", path: "/schedules", query });
  }

  getSchedule(scheduleId: string): Promise<Schedule> {
    return this.#transport.json({ method: "GET", path: `/schedules/${encode(scheduleId)}` });
  }

  putSchedule(scheduleId: string, request: ScheduleRequest): Promise<Schedule> {
    return this.#transport.json({ method: "PUT", path: `/schedules/${encode(scheduleId)}`, body: request });
  }

  /** Not retried: a second request would fail because the schedule no longer exists. */
  async removeSchedule(scheduleId: string): Promise<void> {
    await this.#transport.json({ method: "DELETE", path: `/schedules/${encode(scheduleId)}`, isSafe: false });
  }

  pauseSchedule(scheduleId: string): Promise<Schedule> {
    return this.#transport.json({ method: "POST", path: `/schedules/${encode(scheduleId)}/pause` });
  }

  resumeSchedule(scheduleId: string): Promise<Schedule> {
    return this.#transport.json({ method: "POST", path: `/schedules/${encode(scheduleId)}/resume` });
  }

  nextTimes(scheduleId: string, count?: number): Promise<ScheduleTimes> {
    return this.#transport.json({ method: "GET", path: `/schedules/${encode(scheduleId)}/next`, query: { count } });
  }

  /** Safe to retry: each scheduled time has at most one run. */
  backfillSchedule(scheduleId: string, request: BackfillRequest): Promise<BackfillOutcome> {
    const path = `/schedules/${encode(scheduleId)}/backfill`;
    return this.#transport.json({ method: "POST", path, body: request });
  }

  /** Returns the times at which a schedule would fire. Saves nothing. */
  previewTimes(request: TimesRequest): Promise<ScheduleTimes> {
    return this.#transport.json({ method: "POST", path: "/schedules/preview", body: request });
  }

  /** Lists subscriptions with their backlog, lag and last error. */
  listSubscriptions(query?: ListSubscriptionsQuery): Promise<SubscriptionPage> {
    return this.#transport.json({ method: "GET", path: "/subscriptions", query });
  }

  getSubscription(subscriptionId: string): Promise<Subscription> {
    return this.#transport.json({ method: "GET", path: `/subscriptions/${encode(subscriptionId)}` });
  }

  /** Creates a subscription, or replaces its definition. A replaced one continues where it was. */
  putSubscription(subscriptionId: string, request: SubscriptionRequest): Promise<Subscription> {
    return this.#transport.json({ method: "PUT", path: `/subscriptions/${encode(subscriptionId)}`, body: request });
  }

  /** Not retried: a second request would fail because the subscription no longer exists. */
  async removeSubscription(subscriptionId: string): Promise<void> {
    const path = `/subscriptions/${encode(subscriptionId)}`;
    await this.#transport.json({ method: "DELETE", path, isSafe: false });
  }

  pauseSubscription(subscriptionId: string): Promise<Subscription> {
    return this.#transport.json({ method: "POST", path: `/subscriptions/${encode(subscriptionId)}/pause` });
  }

  resumeSubscription(subscriptionId: string): Promise<Subscription> {
    return this.#transport.json({ method: "POST", path: `/subscriptions/${encode(subscriptionId)}/resume` });
  }

  /** Delivers everything from `from` again: `beginning`, `now` or a time. */
  rewindSubscription(subscriptionId: string, from: string): Promise<Subscription> {
    const path = `/subscriptions/${encode(subscriptionId)}/rewind`;
    return this.#transport.json({ method: "POST", path, body: { from } });
  }

  /** Sends a test event once. Not retried, so that the receiver gets one event. */
  testSubscription(subscriptionId: string): Promise<TestDelivery> {
    const path = `/subscriptions/${encode(subscriptionId)}/test`;
    return this.#transport.json({ method: "POST", path, isSafe: false });
  }

  /** Lists events that were refused too often, by subscription and run. */
  listDeadLetters(query?: ListDeadLettersQuery): Promise<DeadLetterPage> {
    return this.#transport.json({ method: "GET", path: "/dead-letters", query });
  }

  /** Returns a dead letter with its event. */
  getDeadLetter(subscriptionId: string, runId: string): Promise<InspectedDeadLetter> {
    return this.#transport.json({ method: "GET", path: deadLetterPath(subscriptionId, runId) });
  }

  /** Attempts the event again. Not retried: a second request would fail because the dead letter no longer exists. */
  async redriveDeadLetter(subscriptionId: string, runId: string): Promise<void> {
    const path = `${deadLetterPath(subscriptionId, runId)}/redrive`;
    await this.#transport.json({ method: "POST", path, isSafe: false });
  }

  /** Skips the event. Not retried: a second request would fail because the dead letter no longer exists. */
  async dropDeadLetter(subscriptionId: string, runId: string): Promise<void> {
    await this.#transport.json({ method: "DELETE", path: deadLetterPath(subscriptionId, runId), isSafe: false });
  }

  /** Lists datasets with their last write and freshness. */
  listDatasets(query?: ListDatasetsQuery): Promise<DatasetPage> {
    return this.#transport.json({ method: "GET", path: "/datasets", query });
  }

  /** Returns a dataset with the steps that use it, and the datasets before and after it. */
  getDataset(query: GetDatasetQuery): Promise<DatasetDetail> {
    return this.#transport.json({ method: "GET", path: "/dataset", query });
  }

  /** Lists triggers with their counters and last error. */
  listTriggers(query?: ListTriggersQuery): Promise<TriggerPage> {
    return this.#transport.json({ method: "GET", path: "/triggers", query });
  }

  getTrigger(triggerId: string): Promise<Trigger> {
    return this.#transport.json({ method: "GET", path: `/triggers/${encode(triggerId)}` });
  }

  /** Creates a trigger, or replaces its definition. A replaced one continues where it was. */
  putTrigger(triggerId: string, request: TriggerRequest): Promise<Trigger> {
    return this.#transport.json({ method: "PUT", path: `/triggers/${encode(triggerId)}`, body: request });
  }

  /** Not retried: a second request would fail because the trigger no longer exists. */
  async removeTrigger(triggerId: string): Promise<void> {
    await this.#transport.json({ method: "DELETE", path: `/triggers/${encode(triggerId)}`, isSafe: false });
  }

  pauseTrigger(triggerId: string): Promise<Trigger> {
    return this.#transport.json({ method: "POST", path: `/triggers/${encode(triggerId)}/pause` });
  }

  resumeTrigger(triggerId: string): Promise<Trigger> {
    return this.#transport.json({ method: "POST", path: `/triggers/${encode(triggerId)}/resume` });
  }

  /** Returns what an event would start. Starts nothing. */
  testTrigger(triggerId: string, request: TriggerTestRequest): Promise<TriggerTest> {
    return this.#transport.json({ method: "POST", path: `/triggers/${encode(triggerId)}/test`, body: request });
  }

  /**
   * Sends an event to a trigger. `headers` carry its signature (Standard Webhooks), which covers `JSON.stringify(event)`. Safe
   * to retry: an event starts one run.
   */
  sendEvent(
    triggerId: string,
    event: unknown,
    headers: Readonly<Record<string, string>> = {},
    query?: SendEventQuery,
  ): Promise<EventOutcome> {
    const path = `/triggers/${encode(triggerId)}/events`;
    return this.#transport.json({ method: "POST", path, json: JSON.stringify(event), headers, query });
  }

  /** Lists unfinished runs, with the reason why each one waits. */
  listQueue(query?: ListQueueQuery): Promise<QueuePage> {
    return this.#transport.json({ method: "GET", path: "/queue", query });
  }

  /** Returns the reason why a run is queued. */
  getQueuedRun(runId: string): Promise<QueuedRun> {
    return this.#transport.json({ method: "GET", path: `/queue/${encode(runId)}` });
  }

  listLimits(): Promise<LimitList> {
    return this.#transport.json({ method: "GET", path: "/limits" });
  }

  /** Replaces a limit. Fields that the request leaves out are no longer limited. */
  setLimit(limit: LimitRequest): Promise<Limit> {
    return this.#transport.json({ method: "PUT", path: "/limits", body: limit });
  }

  removeLimit(query: RemoveLimitQuery): Promise<LimitRemoved> {
    return this.#transport.json({ method: "DELETE", path: "/limits", query });
  }

  /** Lists the retention policies that apply to the caller's data. */
  listRetention(): Promise<RetentionPolicyList> {
    return this.#transport.json({ method: "GET", path: "/retention" });
  }

  /** Replaces a policy. Data is kept where the request leaves a field out. */
  setRetention(policy: RetentionPolicyRequest): Promise<RetentionPolicy> {
    return this.#transport.json({ method: "PUT", path: "/retention", body: policy });
  }

  removeRetention(query: RemoveRetentionQuery): Promise<RetentionPolicyRemoved> {
    return this.#transport.json({ method: "DELETE", path: "/retention", query });
  }

  /** Reports how many runs the policies would archive and delete now. Changes nothing. */
  reportRetention(): Promise<RetentionReport> {
    return this.#transport.json({ method: "GET", path: "/retention/report" });
  }

  getHealth(): Promise<Health> {
    return this.#transport.json({ method: "GET", path: "/health" });
  }

  getMe(): Promise<Me> {
    return this.#transport.json({ method: "GET", path: "/me" });
  }

  /** Logs this browser in. It needs no token afterwards. */
  openSession(token: string): Promise<Me> {
    return this.#transport.json({ method: "POST", path: "/session", body: { token } });
  }

  async endSession(): Promise<void> {
    await this.#transport.json({ method: "DELETE", path: "/session" });
  }

  listKeys(query?: ListKeysQuery): Promise<AccessKeyPage> {
    return this.#transport.json({ method: "GET", path: "/keys", query });
  }

  /** Not retried: a second request would create a second key. */
  createKey(request: AccessKeyRequest): Promise<CreatedAccessKey> {
    return this.#transport.json({ method: "POST", path: "/keys", body: request, isSafe: false });
  }

  revokeKey(keyId: string): Promise<AccessKey> {
    return this.#transport.json({ method: "DELETE", path: `/keys/${encode(keyId)}` });
  }

  listAudit(query?: ListAuditQuery): Promise<AuditPage> {
    return this.#transport.json({ method: "GET", path: "/audit", query });
  }

  /** Yields the recorded events of a run, then new ones until it finishes. Reconnects when the connection is lost. */
  async *streamRun(runId: string, options: FollowOptions = {}): AsyncGenerator<RunEvent> {
    const { forever = false, signal, onConnection, ...query } = options;
    const request = { method: "GET", path: `/runs/${encode(runId)}/stream`, query } as const;
    const connection = omitUndefined({ signal, onConnection });
    for await (const { event, data } of reconnectingStream(this.#transport, () => request, connection)) {
      if (event === "message") yield withoutType(JSON.parse(data) as RunEvent & { readonly type?: string });
      else if (!forever && isEnd(event, data)) return;
    }
  }

  /** Yields the recorded log lines of a run, then new ones until it finishes. Reconnects when the connection is lost. */
  async *streamLogs(runId: string, options: StreamOptions & StreamLogsQuery = {}): AsyncGenerator<LogLine> {
    const { signal, onConnection, ...query } = options;
    const request = { method: "GET", path: `/runs/${encode(runId)}/logs/stream`, query } as const;
    const connection = omitUndefined({ signal, onConnection });
    for await (const { event, data } of reconnectingStream(this.#transport, () => request, connection)) {
      if (event === "message") yield* (JSON.parse(data) as LogBatch).lines;
      else if (event === "ended") return;
    }
  }

  /** Yields the newest runs, then their changes. Reconnects when the connection is lost. */
  async *streamRuns(query: StreamListQuery = {}, options: StreamOptions = {}): AsyncGenerator<RunListMessage> {
    const request = { method: "GET", path: "/stream", query: toQuery(query) } as const;
    for await (const { event, data } of reconnectingStream(this.#transport, () => request, options)) {
      if (event === "snapshot") yield { type: "snapshot", gone: [], ...(JSON.parse(data) as RunListSnapshot) };
      else if (event === "message") yield { type: "change", ...(JSON.parse(data) as RunListChange) };
    }
  }

  /** Watches several runs and lists through one connection. After a lost connection each resumes where it was. */
  async *watch(watched: Watched, options: StreamOptions = {}): AsyncGenerator<WatchMessage> {
    const places = new WatchPlaces(watched);
    const request = () => ({ method: "POST", path: "/stream", body: places.request() }) as const;
    for await (const { event, data } of reconnectingStream(this.#transport, request, options)) {
      const message = readMessage(event, data);
      if (message === null) continue;
      places.pass(message);
      yield message;
    }
  }
}

/** The server sends `ended` after the last event, or `caught-up` to a reader that already has all events. */
/** The type of a message is for readers that see only its data. */
function withoutType({ type: _, ...event }: RunEvent & { readonly type?: string }): RunEvent {
  return event;
}

function isEnd(event: string, data: string): boolean {
  return event === "ended" || (event === "caught-up" && (JSON.parse(data) as { ended: boolean }).ended);
}

function artifactPath(runId: string, artifactId: string): string {
  return `/runs/${encode(runId)}/artifacts/${encode(artifactId)}`;
}

function deadLetterPath(subscriptionId: string, runId: string): string {
  return `/dead-letters/${encode(subscriptionId)}/${encode(runId)}`;
}

function encode(part: string): string {
  return encodeURIComponent(part);
}

/** Makes a request safe to retry. An id of `undefined` counts as absent, as in JSON. */
function withRequestId<T extends { readonly requestId?: string }>(request: T): T & { readonly requestId: string } {
  return { ...request, requestId: request.requestId ?? newId("req") };
}
