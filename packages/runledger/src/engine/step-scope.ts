/** What a closure at one place of a run may read. */
import { idempotencyKey, type Json, type JsonObject } from "@runledger/contracts";
import { indexPlan, instanceId, pathOf, type RunState } from "@runledger/core";
import { itemAt } from "./item-lists.js";
import { eventOf, ItemOutputs, keyOf, outputOf, type OutputSource } from "./outputs.js";
import type { RunFacts } from "./run-facts.js";

export interface StepScope {
  readonly input: Json | undefined;
  readonly state: Json | undefined;
  readonly needs: Readonly<Record<string, unknown>>;
  readonly [extra: string]: unknown;
}

export async function scopeOf(facts: RunFacts, state: RunState, stepId: string): Promise<StepScope> {
  const source = sourceOf(facts);
  const step = indexPlan(facts.workflow.plan).get(pathOf(stepId));
  const prefix = stepId.split("/").slice(0, -1).join("/");
  const needs = Object.entries(step?.needs ?? {}).map(async ([name, path]) => {
    return [name, await read(facts, source, state, path, prefix === "" ? "" : `${prefix}/`)] as const;
  });
  const reads = [inputOf(facts), Promise.all(needs), extras(facts, state, stepId)] as const;
  const [input, found, around] = await Promise.all(reads); // together: a failure of one must find somebody who waits
  const { schedule } = state.details;
  return { input, state: frozen(state.userState), schedule, needs: Object.fromEntries(found), ...around };
}

export function sourceOf({ store, runId, workflow, recall }: RunFacts): OutputSource {
  return { store, runId, planVersion: workflow.plan.planVersion, ...(recall === undefined ? {} : { recall }) };
}

async function read(
  facts: RunFacts,
  source: OutputSource,
  state: RunState,
  path: string,
  prefix: string,
): Promise<unknown> {
  const step = indexPlan(facts.workflow.plan).get(path)!;
  const id = instanceId(path, prefix);
  if (step.kind !== "forEach") return outputOf(source, state, id);
  const inner = step.bodies?.[0]?.output?.split("/").at(-1) ?? null;
  return new ItemOutputs(source, state, id, inner);
}

const inputs = new WeakMap<RunFacts, Promise<string | undefined>>();

/** Read once for all steps of a run; each gets its own. */
async function inputOf(facts: RunFacts): Promise<Json | undefined> {
  const known = inputs.get(facts) ?? readInput(sourceOf(facts));
  inputs.set(facts, known);
  known.catch(() => inputs.delete(facts)); // the next one asks again
  const text = await known;
  return text === undefined ? undefined : (JSON.parse(text) as Json);
}

async function readInput(source: OutputSource): Promise<string | undefined> {
  const queued = await eventOf(source, keyOf(source, "RunQueued", "1"));
  return JSON.stringify((queued?.eventData as JsonObject | undefined)?.["input"]);
}

/** D2: read-only. It is the run's own state, and all steps share it. */
function frozen<T>(value: T): T {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  Object.values(Object.freeze(value)).forEach(frozen);
  return value;
}

/** `item` and `index` of the innermost forEach around the step, `iteration` of the innermost repeat. */
async function extras(facts: RunFacts, state: RunState, stepId: string): Promise<Readonly<Record<string, unknown>>> {
  const names = stepId.split("/");
  const found: Record<string, unknown> = {};
  for (let place = 0; place + 2 < names.length; place += 2) {
    const containerId = names.slice(0, place + 1).join("/");
    const index = Number(names[place + 1]);
    const kind = indexPlan(facts.workflow.plan).get(pathOf(containerId))?.kind;
    if (kind === "forEach") Object.assign(found, { index, item: await itemAt(facts, state, containerId, index) });
    if (kind === "repeat") found["iteration"] = index;
  }
  return found;
}

/** D6: the same for all attempts until an operator resets the step; and one that differs per attempt. */
export function stepKeys(
  facts: RunFacts,
  state: RunState,
  stepId: string,
  attempt: number,
): { idempotencyKey: string; attemptKey: string } {
  const parts = { runId: facts.runId, stepId, planVersion: facts.workflow.plan.planVersion, eventType: "Step" };
  const budgetFrom = state.steps.get(stepId)?.budgetFrom ?? 1;
  return {
    idempotencyKey: idempotencyKey({ ...parts, logicalAttemptId: `from-${budgetFrom}` }),
    attemptKey: idempotencyKey({ ...parts, logicalAttemptId: String(attempt) }),
  };
}
