import { randomUUID } from "node:crypto";
import {
  DEFAULT_TENANT,
  InputError,
  LOG_FORMAT,
  newEvent,
  sha256Hex,
  StopError,
  type ForkOrigin,
  type FullStateStore,
  type Json,
  type JsonObject,
  type NewEvent,
  type Plan,
  type ScheduledStart,
} from "@runledger/contracts";
import type { Admission } from "@runledger/core";
import { admissionOf } from "../queue/admission.js";
import type { CompiledWorkflow } from "../workflow/compiled-workflow.js";
import { parseWith } from "../workflow/schema.js";
import { publishPlan } from "./publish-plan.js";

export interface StartOptions {
  /** Makes the start idempotent: the same request gives the same run. Default: a request of its own. */
  readonly requestId?: string;
  readonly tenantId?: string;
  readonly projectId?: string;
  readonly environmentId?: string;
  /** Orders the runs of a tenant, the highest first. Default 0. */
  readonly priority?: number;
  /** Of the runs of a tenant that share a key one runs at a time, or as many as its limit says. */
  readonly concurrencyKey?: string;
  /** Not before this time. Default: at once. */
  readonly startAt?: Date | string;
  /** `workflow`: the request starts one run, whichever version is asked for it. Default: one per version. */
  readonly dedupe?: "workflow";
  readonly labels?: Readonly<Record<string, string>>;
  /** `epoch`: under which the caller owns the parent; refused once another worker does. */
  readonly parent?: { readonly runId: string; readonly stepId: string; readonly epoch: number };
  /** Of a scheduled run: there is one per schedule and time. */
  readonly schedule?: ScheduledStart;
  /** Who starts it, for the record; a repeated request may come from anybody. Default: its schedule or its parent, if any. */
  readonly by?: string;
  /** Default: a new id that sorts by time. */
  readonly runId?: string;
}

export interface StartedRun {
  readonly runId: string;
  /** False = the request had started it before. */
  readonly created: boolean;
  /** Of a new run: whether it may run at once, or what it waits for. */
  readonly admission?: Admission;
}

/** Starts a run, or finds the one that this request has already started (Q1). */
export async function startRun(
  store: FullStateStore,
  workflow: CompiledWorkflow,
  input: unknown,
  options: StartOptions,
): Promise<StartedRun> {
  const { plan, initialState } = workflow;
  const parsed = (await parseWith(workflow.input, "input", input)) as Json | undefined;
  return queueRun(store, { plan, initialState, input: parsed }, options);
}

/** What a run begins with. */
export interface RunSeed {
  readonly plan: Plan;
  readonly input: Json | undefined;
  readonly initialState: Json | undefined;
  /** Of a fork. `kept` gives what the run of this id keeps. */
  readonly fork?: { readonly origin: ForkOrigin; readonly kept: (runId: string) => readonly NewEvent[] };
}

export async function queueRun(store: FullStateStore, seed: RunSeed, options: StartOptions): Promise<StartedRun> {
  const { plan, input, initialState, fork } = seed;
  const {
    requestId = randomId("req"),
    tenantId = DEFAULT_TENANT,
    projectId = "default",
    environmentId = "default",
  } = options;
  const { runId = randomId("run"), priority = 0, concurrencyKey, labels, parent, schedule } = options;
  const by = options.by ?? starterOf(options);
  const startAt = options.startAt === undefined ? undefined : toTime(options.startAt);
  const request = [tenantId, projectId, environmentId, plan.planId];
  const data = {
    plan: { planId: plan.planId, planVersion: plan.planVersion, hash: plan.hash },
    logFormat: LOG_FORMAT,
    tenantId,
    projectId,
    environmentId,
    runRequestId: requestId,
    priority,
    ...(concurrencyKey === undefined ? {} : { concurrencyKey }),
    ...(startAt === undefined ? {} : { startAt }),
    ...(input === undefined ? {} : { input }),
    ...(initialState === undefined ? {} : { state: initialState }),
    ...(labels === undefined ? {} : { labels }),
    ...(parent === undefined ? {} : { parent: { runId: parent.runId, stepId: parent.stepId } }),
    ...(schedule === undefined ? {} : { schedule: { scheduleId: schedule.scheduleId, tick: schedule.tick } }),
    ...(fork === undefined ? {} : { fork: fork.origin }),
    ...(by === undefined ? {} : { by }),
  } as unknown as JsonObject;
  const event = newEvent({
    runId,
    planId: plan.planId,
    planVersion: plan.planVersion,
    eventType: "RunQueued",
    eventData: data,
  });
  const inputHash = hashOf(seed);
  await publishPlan(store, plan);
  const started = await store.queue.startRun({
    event,
    tenantId,
    startKey: sha256Hex([...request, plan.planVersion, requestId].join("|")),
    ...(options.dedupe === undefined ? {} : { dedupeKey: sha256Hex(["workflow", ...request, requestId].join("|")) }),
    inputHash,
    logFormat: LOG_FORMAT,
    priority,
    projectId,
    ...(concurrencyKey === undefined ? {} : { concurrencyKey }),
    ...(startAt === undefined ? {} : { startAt }),
    ...(parent === undefined ? {} : { parent: { runId: parent.runId, epoch: parent.epoch } }),
    ...(schedule === undefined ? {} : { tick: schedule }),
    ...(fork === undefined ? {} : { kept: fork.kept(runId) }),
  });
  const created = started.created || started.runId === runId; // by an earlier try that got no answer
  if (started.inputHash !== inputHash) throw requestChanged(requestId, started.runId);
  if (!created) return { runId: started.runId, created };
  const mayWait = parent === undefined && (started.limited || startAt !== undefined);
  return { runId, created, admission: mayWait ? await admissionOf(store, runId) : { answer: "ACCEPT" } };
}

/** What starts a run by itself. */
function starterOf({ schedule, parent }: StartOptions): string | undefined {
  if (schedule !== undefined) return `schedule ${schedule.scheduleId}`;
  return parent === undefined ? undefined : `run ${parent.runId}`;
}

function requestChanged(requestId: string, runId: string): StopError {
  const message = `Request ${requestId} has already started run ${runId} with another input. Use another requestId.`;
  return new StopError("REQUEST_CHANGED", message);
}

/** What the same request must say again. How far a fork's origin had come is not part of it: it may have gone on. */
function hashOf({ input = null, fork }: RunSeed): string {
  if (fork === undefined) return sha256Hex(JSON.stringify(input));
  const { runId, from } = fork.origin;
  return sha256Hex(JSON.stringify({ input, fork: { runId, from } }));
}

function toTime(time: Date | string): string {
  const at = new Date(time);
  if (!Number.isNaN(at.getTime())) return at.toISOString();
  throw new InputError("OPTION_INVALID", "startAt", "must be a time, as in 2026-11-15T08:00:00Z.");
}

/**
 * Sorts by time: 48 bits of milliseconds, then 80 of chance. Those are parts of a UUID that are nothing but chance: Node
 * draws the bytes of many UUIDs at once.
 */
export function randomId(prefix: string): string {
  const time = Date.now().toString(16).padStart(12, "0");
  const chance = randomUUID();
  return `${prefix}_${time}${chance.slice(0, 8)}${chance.slice(24)}`;
}
