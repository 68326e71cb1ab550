import { randomBytes } from "node:crypto";
import {
  DEFAULT_TENANT,
  LOG_FORMAT,
  newEvent,
  sha256Hex,
  StopError,
  type FullStateStore,
  type Json,
  type JsonObject,
  type ScheduledStart,
} from "@runledger/contracts";
import type { CompiledWorkflow } from "../workflow/compiled-workflow.js";
import { parseWith } from "../workflow/schema.js";
import { publishPlan } from "./publish-plan.js";

export interface StartOptions {
  /** Makes the start idempotent: the same request gives the same run. Default: a request of its own. */
  readonly requestId?: string;
  readonly tenantId?: string;
  readonly projectId?: string;
  readonly environmentId?: string;
  readonly priority?: number;
  readonly labels?: Readonly<Record<string, string>>;
  /** `epoch`: under which the caller owns the parent; refused once another worker does. */
  readonly parent?: { readonly runId: string; readonly stepId: string; readonly epoch: number };
  /** Of a scheduled run: there is one per schedule and time. */
  readonly schedule?: ScheduledStart;
  /** Default: a new id that sorts by time. */
  readonly runId?: string;
}

export interface StartedRun {
  readonly runId: string;
  /** False = the request had started it before. */
  readonly created: boolean;
}

/** Starts a run, or finds the one that this request has already started (Q1). */
export async function startRun(
  store: FullStateStore,
  workflow: CompiledWorkflow,
  input: unknown,
  options: StartOptions,
): Promise<StartedRun> {
  const { plan } = workflow;
  const parsed = (await parseWith(workflow.input, "input", input)) as Json | undefined;
  const {
    requestId = randomId("req"),
    tenantId = DEFAULT_TENANT,
    projectId = "default",
    environmentId = "default",
  } = options;
  const { runId = randomId("run"), priority = 0, labels, parent, schedule } = options;
  const request = [tenantId, projectId, environmentId, plan.planId, plan.planVersion, requestId];
  const data = {
    plan: { planId: plan.planId, planVersion: plan.planVersion, hash: plan.hash },
    logFormat: LOG_FORMAT,
    tenantId,
    projectId,
    environmentId,
    runRequestId: requestId,
    priority,
    ...(parsed === undefined ? {} : { input: parsed }),
    ...(workflow.initialState === undefined ? {} : { state: workflow.initialState }),
    ...(labels === undefined ? {} : { labels }),
    ...(parent === undefined ? {} : { parent: { runId: parent.runId, stepId: parent.stepId } }),
    ...(schedule === undefined ? {} : { schedule: { scheduleId: schedule.scheduleId, tick: schedule.tick } }),
  } as JsonObject;
  const event = newEvent({
    runId,
    planId: plan.planId,
    planVersion: plan.planVersion,
    eventType: "RunQueued",
    eventData: data,
  });
  const inputHash = sha256Hex(JSON.stringify(parsed ?? null));
  await publishPlan(store, plan);
  const started = await store.queue.startRun({
    event,
    tenantId,
    startKey: sha256Hex(request.join("|")),
    inputHash,
    logFormat: LOG_FORMAT,
    priority,
    ...(parent === undefined ? {} : { parent: { runId: parent.runId, epoch: parent.epoch } }),
    ...(schedule === undefined ? {} : { tick: schedule }),
  });
  if (started.inputHash === inputHash) return { runId: started.runId, created: started.created };
  throw new StopError(
    "REQUEST_CHANGED",
    `Request ${requestId} has already started run ${started.runId} with another input. Use another requestId.`,
  );
}

/** Sorts by time: 48 bits of milliseconds, then chance. */
export function randomId(prefix: string): string {
  const time = Date.now().toString(16).padStart(12, "0");
  return `${prefix}_${time}${randomBytes(10).toString("hex")}`;
}
