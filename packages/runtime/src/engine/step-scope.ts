/** The data that a closure may read at its place in a run. */
import type { Context } from "@opentelemetry/api";
import {
  idempotencyKey,
  omitUndefined,
  PARTITION_LABEL,
  readEventData,
  type Json,
  type Partition,
  type PlanStep,
  type TraceContext,
} from "@runledger/contracts";
import { indexPlan, instanceId, partitionOf, pathOf, rootCause, type RunState } from "@runledger/core";
import { itemAt } from "./item-lists.js";
import { contextOfRun } from "../telemetry/trace-context.js";
import { eventOf, ItemOutputs, keyOf, outputOf, type OutputSource } from "../runs/outputs.js";
import type { RunContext } from "./run-context.js";
import type { StoreCalls } from "./store-calls.js";

export interface StepScope {
  readonly input: Json | undefined;
  readonly state: Json | undefined;
  readonly needs: Readonly<Record<string, unknown>>;
  readonly [extra: string]: unknown;
}

export async function scopeOf(
  context: RunContext,
  state: RunState,
  stepId: string,
  calls: StoreCalls,
): Promise<StepScope> {
  return calls.insist(() => readScope(context, state, stepId, calls));
}

async function readScope(context: RunContext, state: RunState, stepId: string, calls: StoreCalls): Promise<StepScope> {
  const step = indexPlan(context.workflow.plan).get(pathOf(stepId));
  const prefix = stepId.split("/").slice(0, -1).join("/");
  const needs = Object.entries(step?.needs ?? {}).map(async ([name, path]) => {
    const at = { path, prefix: prefix === "" ? "" : `${prefix}/` };
    return [name, await read(context, state, at, calls)] as const;
  });
  const reads = [inputOf(context), Promise.all(needs), extras(context, state, stepId)] as const;
  const [input, found, around] = await Promise.all(reads); // awaited together, so that no rejection is unhandled
  const { schedule, labels } = state.details;
  const partition = partitionIn(context, labels?.[PARTITION_LABEL]);
  return { input, state: frozen(state.userState), schedule, partition, needs: Object.fromEntries(found), ...around };
}

/** `undefined` if the workflow is not partitioned, or if the label names none of its partitions. */
function partitionIn({ workflow }: RunContext, key: string | undefined): Partition | undefined {
  const { partitions } = workflow.plan;
  if (partitions === undefined || key === undefined) return undefined;
  return partitionOf(partitions, key) ?? undefined;
}

export function sourceOf({ store, runId, workflow, recentEvents }: RunContext): OutputSource {
  return { store, runId, planVersion: workflow.plan.planVersion, ...omitUndefined({ recentEvents }) };
}

async function read(
  context: RunContext,
  state: RunState,
  { path, prefix }: { readonly path: string; readonly prefix: string },
  calls: StoreCalls,
): Promise<unknown> {
  const source = sourceOf(context);
  const step = indexPlan(context.workflow.plan).get(path)!;
  const id = instanceId(path, prefix);
  const value = () => outputIn(source, state, { step, id }, calls);
  return step.settle === true ? settled(state, id, value) : value();
}

/** Returns the output of a step with `settle`, or its error. */
async function settled(state: RunState, stepId: string, value: () => Promise<unknown>): Promise<unknown> {
  const row = state.steps.get(stepId);
  if (row?.error === undefined) return { ok: true, value: await value() };
  const { code, message } = rootCause(state, row).error!;
  return { ok: false, error: { code, message } };
}

async function outputIn(
  source: OutputSource,
  state: RunState,
  { step, id }: { readonly step: PlanStep; readonly id: string },
  calls: StoreCalls,
): Promise<unknown> {
  if (step.kind !== "forEach") return outputOf(source, state, id);
  const inner = step.bodies?.[0]?.output?.split("/").at(-1) ?? null;
  return new ItemOutputs(source, state, id, inner, calls.insist);
}

/** The data of a run's start. */
interface Start {
  /** As JSON, because each step gets a copy. */
  readonly input: string | undefined;
  readonly trace: TraceContext | undefined;
  /** The context of the run's spans. */
  readonly spans: Context;
}

const starts = new WeakMap<RunContext, Promise<Start>>();

/** Reads once per run. */
function startOf(context: RunContext): Promise<Start> {
  const known = starts.get(context) ?? readStart(sourceOf(context));
  starts.set(context, known);
  known.catch(() => starts.delete(context)); // the next read retries
  return known;
}

async function readStart(source: OutputSource): Promise<Start> {
  const queued = await eventOf(source, keyOf(source, "RunQueued", "1"));
  const { input, trace } = readEventData("RunQueued", queued?.eventData);
  return { input: JSON.stringify(input), trace, spans: contextOfRun(source.runId, trace) };
}

async function inputOf(context: RunContext): Promise<Json | undefined> {
  const { input } = await startOf(context);
  return input === undefined ? undefined : (JSON.parse(input) as Json);
}

/** Returns the trace that the run's start recorded. */
export async function traceOf(context: RunContext): Promise<TraceContext | undefined> {
  return (await startOf(context)).trace;
}

/** Returns the context of the run's spans. */
export async function spansOf(context: RunContext): Promise<Context> {
  return (await startOf(context)).spans;
}

/** D2: the run's state, shared by all steps and read-only. */
function frozen<T>(value: T): T {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  Object.values(Object.freeze(value)).forEach(frozen);
  return value;
}

/** `item` and `index` of the innermost forEach around the step, `iteration` of the innermost repeat. */
async function extras(
  context: RunContext,
  state: RunState,
  stepId: string,
): Promise<Readonly<Record<string, unknown>>> {
  const names = stepId.split("/");
  const found: Record<string, unknown> = {};
  for (let place = 0; place + 2 < names.length; place += 2) {
    const containerId = names.slice(0, place + 1).join("/");
    const index = Number(names[place + 1]);
    const kind = indexPlan(context.workflow.plan).get(pathOf(containerId))?.kind;
    if (kind === "forEach") Object.assign(found, { index, item: await itemAt(context, state, containerId, index) });
    if (kind === "repeat") found["iteration"] = index;
  }
  return found;
}

/** D6: a key that all attempts share until an operator resets the step, and a key per attempt. */
export function stepKeys(
  context: RunContext,
  state: RunState,
  stepId: string,
  attempt: number,
): { idempotencyKey: string; attemptKey: string } {
  const parts = { runId: context.runId, stepId, planVersion: context.workflow.plan.planVersion, eventType: "Step" };
  const budgetFrom = state.steps.get(stepId)?.budgetFrom ?? 1;
  return {
    idempotencyKey: idempotencyKey({ ...parts, logicalAttemptId: `from-${budgetFrom}` }),
    attemptKey: idempotencyKey({ ...parts, logicalAttemptId: String(attempt) }),
  };
}
