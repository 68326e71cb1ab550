/** Compares a run with the last successful run of its workflow that was created before it. */
import { omitUndefined, readEventData, type Json, type RunHeader, type RunSummary } from "@runledger/contracts";
import { canonicalJson } from "@runledger/core";
import { changedSteps } from "@runledger/runtime/runs/plan-difference";
import type { McpBackend, StepDifference } from "../backend.js";
import { stateOf } from "./steps.js";

const MAX_NAMED = 30;
const MAX_PAGES = 5;

/** Returns `null` if there was no success before. */
export async function changesSinceSuccess(backend: McpBackend, run: RunHeader) {
  const success = await findSuccess(backend, run);
  if (success === null) return null;
  const [{ sameInput, samePlan, rows, complete }, plan, input] = await Promise.all([
    backend.diff(success.runId, run.runId),
    planChanges(backend, run, success.runId),
    inputChanges(backend, run.runId, success.runId),
  ]);
  const { runId, planVersion: version, completedAt, totalDurationMs: durationMs } = success;
  const changed = rows.filter(({ differs }) => differs.length > 0);
  return {
    lastSuccess: { runId, version, completedAt, durationMs },
    version: { same: samePlan, before: version, now: run.planVersion },
    plan,
    input: { same: sameInput, ...input },
    durationMs: { before: durationMs, now: run.totalDurationMs },
    changedSteps: { count: changed.length, steps: changed.slice(0, MAX_NAMED).map(stepOf) },
    slowerSteps: slower(rows),
    complete,
  };
}

async function findSuccess(backend: McpBackend, run: RunHeader): Promise<RunSummary | null> {
  const { planId: workflow, createdAt: until, projectId, environmentId, tenantId } = run;
  if (workflow === undefined || until === undefined) return null;
  const filter = {
    workflow,
    until,
    status: ["COMPLETED"],
    ...omitUndefined({ projectId, environmentId, tenantId }),
  } as const;
  let cursor: string | null = null;
  for (let page = 0; page < MAX_PAGES; page++) {
    const place: { cursor?: string } = cursor === null ? {} : { cursor };
    const found = await backend.listRuns(filter, { limit: 1, ...place });
    const [first] = found.runs;
    if (first !== undefined || found.cursor === null) return first ?? null;
    cursor = found.cursor;
  }
  return null;
}

/** Names the steps of the plan that were added, removed or changed. */
async function planChanges(backend: McpBackend, run: RunHeader, successId: string) {
  const success = await backend.getRun(successId);
  const [before, now] = await Promise.all([success, run].map((one) => backend.planOf(stateOf(one, []))));
  const hashes = { before: before?.plan.hash, now: now?.plan.hash };
  if (!before || !now) return hashes;
  const { added, removed, changed } = changedSteps(before.plan, now.plan);
  const lists = { added, removed, changed };
  const bounded = Object.entries(lists).map(([name, steps]) => [name, steps.slice(0, MAX_NAMED)]);
  return { hash: hashes, steps: Object.fromEntries(bounded) as typeof lists };
}

/** Names the fields of the input that differ, without their values. */
async function inputChanges(backend: McpBackend, runId: string, successId: string) {
  const [now, before] = await Promise.all([runId, successId].map((id) => inputOf(backend, id)));
  if (!isObject(now) || !isObject(before)) return {};
  const names = [...new Set([...Object.keys(before), ...Object.keys(now)])];
  const differ = names.filter((name) => textOf(before[name]) !== textOf(now[name]));
  return { changedFields: differ.slice(0, MAX_NAMED) };
}

async function inputOf(backend: McpBackend, runId: string): Promise<Json | undefined> {
  for await (const [first] of backend.readEvents(runId))
    return first?.eventType === "RunQueued" ? readEventData("RunQueued", first.eventData).input : undefined;
  return undefined;
}

function isObject(value: Json | undefined): value is Record<string, Json> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function textOf(value: Json | undefined): string | undefined {
  return value === undefined ? undefined : canonicalJson(value);
}

function stepOf({ stepId, one, other, differs }: StepDifference) {
  return { stepId, differs, before: one, now: other };
}

const MIN_SLOWER_MS = 1_000;
const MAX_SLOWER = 5;

/** Names steps that took at least twice as long and a second longer, the slowest first. */
function slower(rows: readonly StepDifference[]) {
  const timed = rows.flatMap(({ stepId, one, other }) => {
    const [beforeMs, nowMs] = [one?.durationMs ?? null, other?.durationMs ?? null];
    return beforeMs === null || nowMs === null ? [] : [{ stepId, beforeMs, nowMs }];
  });
  return timed
    .filter(({ beforeMs, nowMs }) => nowMs >= 2 * beforeMs && nowMs - beforeMs >= MIN_SLOWER_MS)
    .toSorted((a, b) => b.nowMs - b.beforeMs - (a.nowMs - a.beforeMs))
    .slice(0, MAX_SLOWER);
}
