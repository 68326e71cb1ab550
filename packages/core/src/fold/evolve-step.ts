import type { CanonicalEngineEvent, EventType, JsonObject, StepRow, StepStatus } from "@runledger/contracts";
import { isObject, mergePatch } from "./merge-patch.js";
import { artifactsOf, dataOf, errorOf, text } from "./read-data.js";
import type { RunDetails, RunState } from "./run-state.js";
import { expandSteps } from "./step-ranges.js";

type StepEventType = Extract<EventType, `Step${string}`>;

/** What an event of one step's attempt changes. */
export function evolveStep(
  state: RunState,
  event: CanonicalEngineEvent,
  type: Exclude<StepEventType, "StepsReset">,
): RunState {
  const { stepId, logicalAttemptId: attempt = "1" } = event;
  if (stepId === undefined) return state; // a foreign log; there is no step to change
  const known = state.steps.get(stepId);
  const order = known === undefined ? 1 : compareAttempts(attempt, known.logicalAttemptId);
  if (order < 0) return state; // of an attempt that a later one has replaced
  if (order === 0 && isDone(known!.status)) return lateStart(state, event, known!); // F2
  const step = order > 0 ? nextAttempt(state, stepId, attempt, known) : known!;
  return put(state, known, changed(step, event, type), patchOf(event, type));
}

function changed(step: StepRow, event: CanonicalEngineEvent, type: Exclude<StepEventType, "StepsReset">): StepRow {
  const row = copied(step, event);
  const data = dataOf(event);
  if (type === "StepStarted") row.startedAt = event.emittedAt;
  else Object.assign(row, { completedAt: event.emittedAt, endedSeq: event.runSeq });
  row.status = STATUS[type];
  switch (type) {
    case "StepCompleted":
      row.artifacts = artifactsOf(data);
      if (typeof data["again"] === "boolean") row.again = data["again"];
      if (typeof data["kept"] === "number") row.kept = data["kept"];
      break;
    case "StepFailed":
      row.artifacts = artifactsOf(data);
      Object.assign(row, { error: errorOf(data) }, text("retryAt", data["retryAt"]), text("culprit", data["culprit"]));
      break;
    case "StepSkipped":
      Object.assign(row, text("reason", data["reason"]), text("culprit", data["culprit"]));
      break;
    case "StepStarted":
      if (isObject(data["opened"])) row.opened = data["opened"];
      if (typeof data["waitsFor"] === "string") row.waitsFor = data["waitsFor"];
      break;
  }
  return row;
}

const STATUS = {
  StepStarted: "RUNNING",
  StepCompleted: "SUCCESS",
  StepFailed: "FAILED",
  StepSkipped: "SKIPPED",
} as const;

/** Field by field: on this path a spread costs several times as much. An open attempt has no other fields. */
function copied(step: StepRow, event: CanonicalEngineEvent): { -readonly [K in keyof StepRow]: StepRow[K] } {
  const { stepId, ordinal, status, logicalAttemptId, artifacts, startedAt, opened, takeOvers, budgetFrom } = step;
  const row: { -readonly [K in keyof StepRow]: StepRow[K] } = { stepId, ordinal, status, logicalAttemptId, artifacts };
  const engineAttemptId = event.engineAttemptId ?? step.engineAttemptId;
  if (engineAttemptId !== undefined) row.engineAttemptId = engineAttemptId;
  if (startedAt !== undefined) row.startedAt = startedAt;
  if (opened !== undefined) row.opened = opened;
  if (takeOvers !== undefined) row.takeOvers = takeOvers;
  if (budgetFrom !== undefined) row.budgetFrom = budgetFrom;
  return row;
}

function lateStart(state: RunState, event: CanonicalEngineEvent, step: StepRow): RunState {
  if (event.eventType !== "StepStarted" || step.startedAt !== undefined) return state;
  return { ...state, steps: state.steps.with({ ...step, startedAt: event.emittedAt }) };
}

/** A clean row: nothing of an earlier attempt shows through but where its retry budget began. */
function nextAttempt(state: RunState, stepId: string, attempt: string, known: StepRow | undefined): StepRow {
  const ordinal = known?.ordinal ?? state.stepCount;
  const row: StepRow = { stepId, ordinal, status: "PENDING", logicalAttemptId: attempt, artifacts: [] };
  return known?.budgetFrom === undefined ? row : { ...row, budgetFrom: known.budgetFrom };
}

/** K4: each named step, started or not, goes on with the next attempt. */
export function resetSteps(state: RunState, event: CanonicalEngineEvent): RunState {
  let current = state;
  for (const stepId of expandSteps(dataOf(event)["steps"])) {
    const known = current.steps.get(stepId);
    const attempt = Number(known?.logicalAttemptId ?? "1") + 1;
    const reset = { ...nextAttempt(current, stepId, String(attempt), known), budgetFrom: attempt };
    // What its closure returned still holds: a changed closure does not change a run in flight (D1).
    const row = known?.opened === undefined ? reset : { ...reset, opened: known.opened };
    current = put(current, known, row, undefined);
  }
  return current;
}

/** D5: five take-overs of one logical attempt are too many; they are counted here. */
export function takeOverSteps(state: RunState, event: CanonicalEngineEvent): RunState {
  let current = state;
  for (const stepId of expandSteps(dataOf(event)["stepsInFlight"])) {
    const step = current.steps.get(stepId);
    if (step?.status !== "RUNNING") continue;
    current = put(current, step, { ...step, takeOvers: (step.takeOvers ?? 0) + 1 }, undefined);
  }
  return current;
}

function put(state: RunState, before: StepRow | undefined, after: StepRow, patch: JsonObject | undefined): RunState {
  const { runId, lastEventSeq, status, ordinals } = state;
  const details = before?.waitsFor === after.waitsFor ? state.details : withWaits(state.details, before, after);
  const failedSteps = state.failedSteps + failed(after) - (before === undefined ? 0 : failed(before));
  const stepCount = before === undefined ? state.stepCount + 1 : state.stepCount;
  const userState = patch === undefined ? state.userState : mergePatch(state.userState, patch);
  const steps = state.steps.with(after);
  return { runId, lastEventSeq, status, failedSteps, stepCount, userState, ordinals, details, steps };
}

/** What no step waits for any more is left out. */
function withWaits(details: RunDetails, before: StepRow | undefined, after: StepRow): RunDetails {
  const { waits: known = {}, ...rest } = details;
  const counts = new Map(Object.entries(known));
  const add = (what: string, change: number): unknown => counts.set(what, (counts.get(what) ?? 0) + change);
  if (before?.waitsFor !== undefined) add(before.waitsFor, -1);
  if (after.waitsFor !== undefined) add(after.waitsFor, 1);
  const open = [...counts].filter(([, count]) => count > 0);
  return open.length === 0 ? rest : { ...rest, waits: Object.fromEntries(open) };
}

function patchOf(event: CanonicalEngineEvent, type: StepEventType): JsonObject | undefined {
  if (type !== "StepCompleted") return undefined;
  return dataOf(event)["patch"] as JsonObject | undefined;
}

const failed = (step: StepRow): number => (step.status === "FAILED" ? 1 : 0);

function isDone(status: StepStatus): boolean {
  return status === "SUCCESS" || status === "FAILED" || status === "SKIPPED";
}

/** Attempts count from 1 (K2). Another engine's may be any text; then whatever differs is taken as newer. */
function compareAttempts(a: string, b: string): number {
  if (a === b) return 0;
  const difference = Number(a) - Number(b);
  return Number.isNaN(difference) ? 1 : difference;
}
