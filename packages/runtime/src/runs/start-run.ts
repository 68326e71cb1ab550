import {
  DEFAULT_TENANT,
  InputError,
  LOG_FORMAT,
  newEvent,
  newId,
  omitUndefined,
  PARTITION_LABEL,
  StopError,
  storableInstant,
  type ForkOrigin,
  type FullStateStore,
  type Json,
  type JsonObject,
  type NewEvent,
  type Plan,
  type ScheduledStart,
  type TraceContext,
} from "@runledger/contracts";
import { partitionOf, type Admission } from "@runledger/core";
import { referredArtifacts } from "../artifacts/referred-artifacts.js";
import { admissionByWorkers, admissionOf } from "./admission.js";
import { traceStart } from "../telemetry/start-span.js";
import { directStartsOf } from "./direct-starts.js";
import type { Timers } from "../time/timers.js";
import type { CompiledWorkflow } from "../workflow/compiled-workflow.js";
import { parseWith } from "../workflow/schema.js";
import { publishPlan, publishSignals } from "./publish-plan.js";
import { checkVisible } from "./visibility.js";
import {
  checkStartRequest,
  dedupeKeyOf,
  inputHashOf,
  isSameInput,
  repeatedData,
  startKeyOf,
  triggerKeyOf,
  type StartRequestRef,
} from "./start-key.js";

export interface StartOptions {
  /** Makes the start idempotent: the same request returns the same run. Default: a new id. */
  readonly requestId?: string;
  /** Tenant of the run. Default: `default`. */
  readonly tenantId?: string;
  /** Project of the run, for filters and limits. Default: `default`. */
  readonly projectId?: string;
  /** Environment of the run, for filters and secrets. Default: `default`. */
  readonly environmentId?: string;
  /** Runs of a tenant with a higher priority start first. Default 0. */
  readonly priority?: number;
  /** Runs of a tenant with the same key run one at a time, or as many as the key's limit allows. */
  readonly concurrencyKey?: string;
  /** The run does not start before this time. Default: now. */
  readonly startAt?: Date | string;
  /** `workflow`: a request starts one run across all versions of the workflow. Default: one per version. */
  readonly dedupe?: "workflow";
  /** Labels to find the run by. */
  readonly labels?: Readonly<Record<string, string>>;
  /** The trace that the run belongs to. Default: the active span of OpenTelemetry, if any. */
  readonly trace?: TraceContext;
  /** The caller, for the record. A repeated request may name another one. Default: the schedule or the parent, if any. */
  readonly by?: string;
  /** Default: a new time-sortable id. */
  readonly runId?: string;
}

/** Options of runs that the engine and the scheduler start. */
export interface SystemStartOptions extends StartOptions {
  /** `epoch` is the one under which the caller owns the parent. The store refuses the start if it is over. */
  readonly parent?: { readonly runId: string; readonly stepId: string; readonly epoch: number };
  /** The schedule and the tick of the run. Each tick has one run. */
  readonly schedule?: ScheduledStart;
  /** The trigger and the event of the run. Each key of a trigger has one run, regardless of the workflow and its version. */
  readonly trigger?: TriggeredStart;
  /** The partition of the run. Each request of a partition has one run, regardless of the version and the input. */
  readonly partition?: string;
  /** Default: the clock of the machine. */
  readonly timers?: Timers | undefined;
  /** Replaces secrets in the input (S1). Returns the same value if it contains none. */
  readonly redact?: (input: Json) => Json;
}

export interface TriggeredStart {
  readonly triggerId: string;
  readonly eventId: string;
  readonly key: string;
}

export interface StartedRun {
  readonly runId: string;
  /** `false` if an earlier call with the same request started the run. */
  readonly created: boolean;
  /** Whether a new run may start now, or what it waits for. */
  readonly admission?: Admission;
}

/** Starts a run, or returns the one that this request has already started (Q1). */
export async function startRun(
  store: FullStateStore,
  workflow: CompiledWorkflow,
  input: unknown,
  options: SystemStartOptions,
): Promise<StartedRun> {
  const { plan, initialState } = workflow;
  const { redact = (json) => json, ...others } = options;
  const parsed = (await parseWith(workflow.input, "input", input)) as Json | undefined;
  await publishSignals(store, workflow);
  const clean = parsed === undefined ? undefined : redact(parsed);
  return queueRun(store, { plan, initialState, input: clean, isRedacted: clean !== parsed }, others);
}

/** The plan and data that a run starts with. */
export interface RunSeed {
  readonly plan: Plan;
  readonly input: Json | undefined;
  readonly initialState: Json | undefined;
  /** `true` if secrets were replaced in the input. */
  readonly isRedacted?: boolean;
  /** Set for a fork. `kept` returns the events that the run with this id keeps. */
  readonly fork?: { readonly origin: ForkOrigin; readonly kept: (runId: string) => readonly NewEvent[] };
}

export function queueRun(store: FullStateStore, seed: RunSeed, options: SystemStartOptions): Promise<StartedRun> {
  const ids = identify(store, seed, options);
  const { tenantId, planId: workflow, planVersion } = ids.request;
  const attributes = {
    "runledger.run.id": ids.runId,
    "runledger.tenant.id": tenantId,
    "runledger.workflow.id": workflow,
    "runledger.workflow.version": planVersion,
  };
  return traceStart({ workflow, attributes, parent: options.trace }, (trace) =>
    queueTraced(store, seed, { ...options, ...omitUndefined({ trace }) }, ids),
  );
}

/** Identifies a start: the request, its keys, and the id that a new run gets. */
interface StartIds {
  readonly request: StartRequestRef;
  readonly keys: { readonly startKey: string; readonly dedupeKey?: string };
  readonly runId: string;
}

function identify(store: FullStateStore, { plan }: RunSeed, options: SystemStartOptions): StartIds {
  const { planId, planVersion } = plan;
  const { requestId = newId("req"), tenantId = DEFAULT_TENANT } = options;
  const { projectId = "default", environmentId = "default" } = options;
  const request = { tenantId, projectId, environmentId, planId, planVersion, requestId };
  const dedupeKey = acrossVersions(request, options);
  const keys = { startKey: startKeyOf(request), ...omitUndefined({ dedupeKey }) };
  const runId = options.runId ?? directStartsOf(store)?.runIdOf(keys) ?? newId("run");
  return { request, keys, runId };
}

async function queueTraced(
  store: FullStateStore,
  seed: RunSeed,
  options: SystemStartOptions,
  { request, keys, runId }: StartIds,
): Promise<StartedRun> {
  const { plan, input, initialState, isRedacted = false, fork } = seed;
  const { tenantId, projectId, environmentId, requestId, planId, planVersion } = request;
  const { priority = 0, concurrencyKey, parent, schedule, trigger, trace } = options;
  const labels = labelsOf(plan, options);
  const by = options.by ?? starterOf(options);
  const startAt = options.startAt === undefined ? undefined : toTime(options.startAt);
  if (schedule === undefined) checkStartRequest(request); // a schedule's request id contains its checked id
  const direct = directStartsOf(store);
  const data = {
    plan: { planId: plan.planId, planVersion: plan.planVersion, hash: plan.hash },
    logFormat: LOG_FORMAT,
    tenantId,
    projectId,
    environmentId,
    runRequestId: requestId,
    priority,
    ...omitUndefined({ concurrencyKey, startAt, input, state: initialState, labels }),
    ...(isRedacted && { redacted: true }),
    ...omitUndefined({
      parent: parent && { runId: parent.runId, stepId: parent.stepId },
      schedule: schedule && { scheduleId: schedule.scheduleId, tick: schedule.tick },
      trigger: trigger && { triggerId: trigger.triggerId, eventId: trigger.eventId },
      fork: fork?.origin,
      trace,
      by,
    }),
  } as unknown as JsonObject;
  const event = newEvent({
    runId,
    planId: plan.planId,
    planVersion: plan.planVersion,
    eventType: "RunQueued",
    eventData: data,
  });
  const kept = fork?.kept(runId);
  const repeated = repeatedData(input, fork?.origin);
  await publishPlan(store, plan);
  await checkVisible(store, plan, tenantId, options.timers);
  const started = await store.queue.startRun({
    event,
    tenantId,
    ...keys,
    inputHash: inputHashOf(repeated),
    logFormat: LOG_FORMAT,
    priority,
    projectId,
    ...omitUndefined({
      concurrencyKey,
      startAt,
      parent: parent && { runId: parent.runId, epoch: parent.epoch },
      tick: schedule,
      kept,
      refersTo: kept && referredArtifacts(kept),
    }),
  });
  const created = started.created || (direct === undefined && started.runId === runId); // an earlier try that got no answer created it
  // Q1: a tick, an event and a partition have one run. If what started it has changed since, the run keeps its input.
  const isFixed = schedule !== undefined || trigger !== undefined || options.partition !== undefined;
  if (!isSameInput(started.inputHash, repeated) && !isFixed) throw requestChanged(requestId, started.runId);
  if (!created) return { runId: started.runId, created };
  const mayWait = parent === undefined && (started.limited || startAt !== undefined);
  if (mayWait) return { runId, created, admission: await admissionOf(store, runId) };
  const isAdmitted = parent !== undefined || schedule !== undefined || direct !== undefined;
  if (isAdmitted) return { runId, created, admission: { answer: "ACCEPT" } };
  const needs = { planId, planVersion, logFormat: LOG_FORMAT, tenantId };
  return { runId, created, admission: await admissionByWorkers(store, runId, needs, options.timers) };
}

/** The key of a start that has one run across versions, or `undefined`. */
function acrossVersions(request: StartRequestRef, options: SystemStartOptions): string | undefined {
  const { dedupe, trigger, partition } = options;
  if (trigger !== undefined) return triggerKeyOf(request.tenantId, trigger);
  return dedupe === undefined && partition === undefined ? undefined : dedupeKeyOf(request);
}

/** Adds the label of the partition. Refuses a label that names none of the workflow's partitions. */
function labelsOf({ planId, partitions }: Plan, { labels, partition }: SystemStartOptions): StartOptions["labels"] {
  const all = partition === undefined ? labels : { ...labels, [PARTITION_LABEL]: partition };
  const key = all?.[PARTITION_LABEL];
  if (partitions === undefined || key === undefined || partitionOf(partitions, key) !== null) return all;
  throw new InputError("OPTION_INVALID", `labels.${PARTITION_LABEL}`, `${key} is not a partition of ${planId}.`);
}

/** Names the schedule, the trigger or the parent that starts the run. */
function starterOf({ schedule, trigger, parent }: SystemStartOptions): string | undefined {
  if (schedule !== undefined) return `schedule ${schedule.scheduleId}`;
  if (trigger !== undefined) return `trigger ${trigger.triggerId}`;
  return parent === undefined ? undefined : `run ${parent.runId}`;
}

function requestChanged(requestId: string, runId: string): StopError {
  const message = `Request ${requestId} has already started run ${runId} with another input. Use another requestId.`;
  return new StopError("REQUEST_CHANGED", message);
}

function toTime(time: Date | string): string {
  const at = storableInstant(new Date(time).getTime());
  if (at !== null) return at;
  throw new InputError("OPTION_INVALID", "startAt", "must be a time, as in 2026-11-15T08:00:00Z.");
}
