import type { Json } from "@runledger/contracts";
import type {
  AccessKey,
  AccessKeyPage,
  AccessKeyRequest,
  ActionOutcome,
  ActionRequest,
  AuditPage,
  ArtifactPage,
  BackfillOutcome,
  BackfillRequest,
  BulkOutcome,
  BulkRequest,
  CreatedAccessKey,
  CountRunsQuery,
  DiffRunsQuery,
  EventPage,
  ForkOutcome,
  ForkRequest,
  GetRunOutlineQuery,
  GetRunQuery,
  Health,
  ListArtifactsQuery,
  ListAuditQuery,
  ListEventsQuery,
  ListKeysQuery,
  ListLogsQuery,
  ListQueueQuery,
  ListSchedulesQuery,
  ListStepsQuery,
  ListVersionsQuery,
  ListWorkflowsQuery,
  LogBatch,
  LogLine,
  Limit,
  LimitList,
  LimitRemoved,
  LimitRequest,
  LogPage,
  Me,
  QueuedRun,
  QueuePage,
  RemoveLimitQuery,
  PublishedWorkflow,
  Run,
  RunCounts,
  RunDiff,
  RunOutline,
  RunEvent,
  RunHistogram,
  RunHistogramQuery,
  RunListChange,
  RunListSnapshot,
  RunPage,
  RunPlan,
  Schedule,
  SchedulePage,
  ScheduleRequest,
  ScheduleTimes,
  SignalOutcome,
  StartedRun,
  StartManyOutcome,
  StartManyRequest,
  StartRequest,
  StepDetail,
  StepPage,
  StreamLogsQuery,
  StreamRunQuery,
  TimesRequest,
  WorkerList,
  WorkflowDetail,
  WorkflowDocument,
  WorkflowPage,
  WorkflowVersionPage,
} from "./api-types.js";
import { newId } from "./new-id.js";
import { either } from "./patience.js";
import { SharedStarts } from "./shared-starts.js";
import { toQuery, type RunListQuery, type StreamListQuery } from "./run-queries.js";
import { reconnecting, type StreamOptions } from "./stream.js";
import { Transport, type ClientOptions } from "./transport.js";
import { readMessage, WatchPlaces, type Watched, type WatchMessage } from "./watch.js";

export type ActionName = ActionOutcome["action"];

export interface FollowOptions extends StreamOptions, StreamRunQuery {
  /** True = goes on after the run has ended: it may be reopened. */
  readonly forever?: boolean;
}

/** `snapshot`: these are the newest runs, and nothing else is. `change`: these are new or different, those are gone. */
export interface RunListMessage extends RunListChange {
  readonly type: "snapshot" | "change";
}

/**
 * The HTTP API, typed. Whatever is safe to repeat is repeated after a failure; starts, signals and actions are made safe
 * by an id of their own where the caller gives none.
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

  /** The same client for as long as somebody wants its answers: `client.withSignal(AbortSignal.timeout(5000)).getRun(id)`. */
  withSignal(signal: AbortSignal): RunledgerClient {
    return new RunledgerClient({ ...this.#options, signal: either(this.#options.signal, signal)! });
  }

  /** Those that are asked for at the same moment share a request. */
  startRun(request: StartRequest): Promise<StartedRun> {
    return this.#starts.start(withRequestId(request));
  }

  /** Up to 100; each is started or refused for itself. */
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

  runHistogram(query: RunHistogramQuery): Promise<RunHistogram> {
    return this.#transport.json({ method: "GET", path: "/run-histogram", query });
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

  /** Its bytes, as they come. */
  getArtifact(runId: string, artifactId: string): Promise<Response> {
    return this.#transport.send({ method: "GET", path: artifactPath(runId, artifactId) });
  }

  act(runId: string, action: ActionName, request: ActionRequest = {}): Promise<ActionOutcome> {
    const body = { ...request, signalId: request.signalId ?? newId("sig") };
    return this.#transport.json({ method: "POST", path: `/runs/${encode(runId)}/actions/${action}`, body });
  }

  signal(runId: string, name: string, payload: Json, signalId = newId("sig")): Promise<SignalOutcome> {
    const path = `/runs/${encode(runId)}/signals/${encode(name)}`;
    return this.#transport.json({ method: "POST", path, body: { payload, signalId } });
  }

  /** One action on many runs; look at it with `dryRun` first. */
  actOnRuns(request: BulkRequest): Promise<BulkOutcome> {
    const body = withRequestId(request);
    return this.#transport.json({ method: "POST", path: "/runs/actions", body });
  }

  /** A new run that begins at a step of this one. */
  forkRun(runId: string, request: ForkRequest): Promise<ForkOutcome> {
    const body = withRequestId(request);
    return this.#transport.json({ method: "POST", path: `/runs/${encode(runId)}/fork`, body });
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

  publishWorkflow(workflowId: string, version: string, document: WorkflowDocument): Promise<PublishedWorkflow> {
    const path = `/workflows/${encode(workflowId)}/${encode(version)}`;
    return this.#transport.json({ method: "PUT", path, body: document });
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

  /** Not repeated after a failure: the second one would not find it. */
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

  /** May be repeated: a time has one run. */
  backfillSchedule(scheduleId: string, request: BackfillRequest): Promise<BackfillOutcome> {
    const path = `/schedules/${encode(scheduleId)}/backfill`;
    return this.#transport.json({ method: "POST", path, body: request });
  }

  /** When a schedule would fire; nothing is saved. */
  previewTimes(request: TimesRequest): Promise<ScheduleTimes> {
    return this.#transport.json({ method: "POST", path: "/schedules/preview", body: request });
  }

  /** Runs that have not ended, and why those that do not run do not. */
  listQueue(query?: ListQueueQuery): Promise<QueuePage> {
    return this.#transport.json({ method: "GET", path: "/queue", query });
  }

  /** Why is this run queued? */
  getQueuedRun(runId: string): Promise<QueuedRun> {
    return this.#transport.json({ method: "GET", path: `/queue/${encode(runId)}` });
  }

  listLimits(): Promise<LimitList> {
    return this.#transport.json({ method: "GET", path: "/limits" });
  }

  /** Sets all of a limit; what it does not name is not limited any more. */
  setLimit(limit: LimitRequest): Promise<Limit> {
    return this.#transport.json({ method: "PUT", path: "/limits", body: limit });
  }

  removeLimit(query: RemoveLimitQuery): Promise<LimitRemoved> {
    return this.#transport.json({ method: "DELETE", path: "/limits", query });
  }

  getHealth(): Promise<Health> {
    return this.#transport.json({ method: "GET", path: "/health" });
  }

  getMe(): Promise<Me> {
    return this.#transport.json({ method: "GET", path: "/me" });
  }

  /** Logs this browser in: from then on it needs no token. */
  openSession(token: string): Promise<Me> {
    return this.#transport.json({ method: "POST", path: "/session", body: { token } });
  }

  async endSession(): Promise<void> {
    await this.#transport.json({ method: "DELETE", path: "/session" });
  }

  listKeys(query?: ListKeysQuery): Promise<AccessKeyPage> {
    return this.#transport.json({ method: "GET", path: "/keys", query });
  }

  /** Not repeated after a failure: there would be two. */
  createKey(request: AccessKeyRequest): Promise<CreatedAccessKey> {
    return this.#transport.json({ method: "POST", path: "/keys", body: request, isSafe: false });
  }

  revokeKey(keyId: string): Promise<AccessKey> {
    return this.#transport.json({ method: "DELETE", path: `/keys/${encode(keyId)}` });
  }

  listAudit(query?: ListAuditQuery): Promise<AuditPage> {
    return this.#transport.json({ method: "GET", path: "/audit", query });
  }

  /** Everything that happened, and then what happens, until the run has ended. Lost connections are made again. */
  async *streamRun(runId: string, options: FollowOptions = {}): AsyncGenerator<RunEvent> {
    const { forever = false, signal, onConnection, ...query } = options;
    const request = { method: "GET", path: `/runs/${encode(runId)}/stream`, query } as const;
    const connection = { ...(signal && { signal }), ...(onConnection && { onConnection }) };
    for await (const { event, data } of reconnecting(this.#transport, () => request, connection)) {
      if (event === "message") yield JSON.parse(data) as RunEvent;
      else if (!forever && isEnd(event, data)) return;
    }
  }

  /** What the steps of a run have printed, and then what they print, until it has ended. Lost connections are made again. */
  async *streamLogs(runId: string, options: StreamOptions & StreamLogsQuery = {}): AsyncGenerator<LogLine> {
    const { signal, onConnection, ...query } = options;
    const request = { method: "GET", path: `/runs/${encode(runId)}/logs/stream`, query } as const;
    const connection = { ...(signal && { signal }), ...(onConnection && { onConnection }) };
    for await (const { event, data } of reconnecting(this.#transport, () => request, connection)) {
      if (event === "message") yield* (JSON.parse(data) as LogBatch).lines;
      else if (event === "ended") return;
    }
  }

  /** The newest runs, and then what changes among them. Lost connections are made again. */
  async *streamRuns(query: StreamListQuery = {}, options: StreamOptions = {}): AsyncGenerator<RunListMessage> {
    const request = { method: "GET", path: "/stream", query: toQuery(query) } as const;
    for await (const { event, data } of reconnecting(this.#transport, () => request, options)) {
      if (event === "snapshot") yield { type: "snapshot", gone: [], ...(JSON.parse(data) as RunListSnapshot) };
      else if (event === "message") yield { type: "change", ...(JSON.parse(data) as RunListChange) };
    }
  }

  /** Several runs and lists through one connection. A lost one is made again, and each goes on where it was. */
  async *watch(watched: Watched, options: StreamOptions = {}): AsyncGenerator<WatchMessage> {
    const places = new WatchPlaces(watched);
    const request = () => ({ method: "POST", path: "/stream", body: places.request() }) as const;
    for await (const { event, data } of reconnecting(this.#transport, request, options)) {
      const message = readMessage(event, data);
      if (message === null) continue;
      places.pass(message);
      yield message;
    }
  }
}

/** Said after the last event, and to whoever has had all of them before. */
function isEnd(event: string, data: string): boolean {
  return event === "ended" || (event === "caught-up" && (JSON.parse(data) as { ended: boolean }).ended);
}

/** Where a browser downloads an artifact from. */
function artifactPath(runId: string, artifactId: string): string {
  return `/runs/${encode(runId)}/artifacts/${encode(artifactId)}`;
}

function encode(part: string): string {
  return encodeURIComponent(part);
}

/** Makes a request safe to repeat. An id that is `undefined` is none, as in JSON. */
function withRequestId<T extends { readonly requestId?: string }>(request: T): T & { readonly requestId: string } {
  return { ...request, requestId: request.requestId ?? newId("req") };
}
