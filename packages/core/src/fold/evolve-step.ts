import {
  MAX_NAMED_STEPS,
  readEventData,
  readEventField,
  type CanonicalEngineEvent,
  type EventType,
  type JsonObject,
  type StepFields,
  type StepRange,
  type StepResultFields,
  type StepRow,
  type StepStatus,
} from "@runledger/contracts";
import { mergePatch } from "./merge-patch.js";
import type { RunDetails, RunState } from "./run-state.js";
import { expandSteps } from "./step-ranges.js";

type AttemptEventType = Exclude<Extract<EventType, `Step${string}`>, "StepsReset">;

/** A row under construction. It becomes a StepRow when it has the fields of its status. */
type StepDraft = Writable<StepFields & Partial<StepResultFields>> & { ordinal: number; status: StepStatus };

type Writable<T> = { -readonly [K in keyof T]: T[K] };

/** Applies an event of one attempt of a step. */
export function evolveStep(state: RunState, event: CanonicalEngineEvent, type: AttemptEventType): RunState {
  const { stepId, logicalAttemptId: attempt = "1" } = event;
  if (stepId === undefined) return state; // a foreign log; there is no step to change
  const known = state.steps.get(stepId);
  const order = known === undefined ? 1 : compareAttempts(attempt, known.logicalAttemptId);
  if (order < 0) return state; // a later attempt has replaced this one
  if (order === 0 && isDone(known!.status)) return lateStart(state, event, known!); // F2
  const row = copied(order > 0 ? nextAttempt(state, stepId, attempt, known) : known!, event);
  const patch = fill(row, event, type);
  return put(state, known, row as StepRow, patch);
}

/** Sets the fields of the new status, and only those. Returns the patch of the user's state. */
function fill(row: StepDraft, event: CanonicalEngineEvent, type: AttemptEventType): JsonObject | undefined {
  row.status = STATUS[type];
  if (type === "StepStarted") return fillStarted(row, event);
  row.completedAt = event.emittedAt;
  row.endedSeq = event.runSeq;
  if (type === "StepCompleted") return fillCompleted(row, event);
  if (type === "StepFailed") return fillFailed(row, event);
  Object.assign(row, readEventData(type, event.eventData));
  return undefined;
}

/** Reads field by field, as `copied` does: almost every event of a log starts or completes a step. */
function fillStarted(row: StepDraft, { emittedAt, eventData }: CanonicalEngineEvent): undefined {
  row.startedAt = emittedAt;
  const opened = readEventField("StepStarted", "opened", eventData);
  if (opened !== undefined) row.opened = opened;
  const waitsFor = readEventField("StepStarted", "waitsFor", eventData);
  if (waitsFor !== undefined) row.waitsFor = waitsFor;
}

function fillCompleted(row: StepDraft, { eventData }: CanonicalEngineEvent): JsonObject | undefined {
  row.artifacts = readEventField("StepCompleted", "artifacts", eventData) ?? NO_ARTIFACTS;
  const again = readEventField("StepCompleted", "again", eventData);
  if (again !== undefined) row.again = again;
  const kept = readEventField("StepCompleted", "kept", eventData);
  if (kept !== undefined) row.kept = kept;
  return readEventField("StepCompleted", "patch", eventData);
}

/** Leaves stack and cause in the log, so that states stay small. */
function fillFailed(row: StepDraft, { eventData }: CanonicalEngineEvent): undefined {
  const { stack: _, cause: _cause, artifacts = NO_ARTIFACTS, ...failure } = readEventData("StepFailed", eventData);
  Object.assign(row, { artifacts }, failure);
}

const NO_ARTIFACTS: StepDraft["artifacts"] = [];

const STATUS = {
  StepStarted: "RUNNING",
  StepCompleted: "SUCCESS",
  StepFailed: "FAILED",
  StepSkipped: "SKIPPED",
} as const;

/** Copies field by field: on this path a spread costs several times as much. A running attempt has no other fields. */
function copied(step: StepRow, event: CanonicalEngineEvent): StepDraft {
  const { stepId, ordinal, status, logicalAttemptId, artifacts, startedAt, opened, takeOvers, budgetFrom } = step;
  const row: StepDraft = { stepId, ordinal, status, logicalAttemptId, artifacts };
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

/** Creates an empty row. It keeps only the start of the retry budget from an earlier attempt. */
function nextAttempt(state: RunState, stepId: string, attempt: string, known: StepRow | undefined): StepRow {
  const ordinal = known?.ordinal ?? state.stepCount;
  const row: StepRow = { stepId, ordinal, status: "PENDING", logicalAttemptId: attempt, artifacts: NO_ARTIFACTS };
  return known?.budgetFrom === undefined ? row : { ...row, budgetFrom: known.budgetFrom };
}

/** Resets create no rows above this number of steps. Otherwise a few small events could fill the memory of readers. */
const MAX_RUN_STEPS = 2 * MAX_NAMED_STEPS;

/** K4: each named step, started or not, continues with its next attempt. */
export function resetSteps(state: RunState, steps: readonly StepRange[]): RunState {
  let current = state;
  for (const stepId of expandSteps(steps)) {
    const known = current.steps.get(stepId);
    if (known === undefined && current.stepCount >= MAX_RUN_STEPS) continue;
    const attempt = Number(known?.logicalAttemptId ?? "1") + 1;
    const reset = { ...nextAttempt(current, stepId, String(attempt), known), budgetFrom: attempt };
    // The recorded result of its closure stays valid: a changed closure does not change an unfinished run (D1).
    const row = known?.opened === undefined ? reset : { ...reset, opened: known.opened };
    current = put(current, known, row, undefined);
  }
  return current;
}

/** D5: counts take-overs of a logical attempt, because five of them are too many. */
export function takeOverSteps(state: RunState, stepsInFlight: readonly StepRange[]): RunState {
  let current = state;
  for (const stepId of expandSteps(stepsInFlight)) {
    const step = current.steps.get(stepId);
    if (step?.status !== "RUNNING") continue;
    const takeOvers = (step.takeOvers ?? 0) + 1;
    current = put(current, step, { ...step, takeOvers, engineAttemptId: String(takeOvers + 1) }, undefined);
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

/** Removes counts that are zero. */
function withWaits(details: RunDetails, before: StepRow | undefined, after: StepRow): RunDetails {
  const { waits: known = {}, ...rest } = details;
  const counts = new Map(Object.entries(known));
  const add = (what: string, change: number): unknown => counts.set(what, (counts.get(what) ?? 0) + change);
  if (before?.waitsFor !== undefined) add(before.waitsFor, -1);
  if (after.waitsFor !== undefined) add(after.waitsFor, 1);
  const open = [...counts].filter(([, count]) => count > 0);
  return open.length === 0 ? rest : { ...rest, waits: Object.fromEntries(open) };
}

const failed = (step: StepRow): number => (step.status === "FAILED" ? 1 : 0);

function isDone(status: StepStatus): boolean {
  return status === "SUCCESS" || status === "FAILED" || status === "SKIPPED";
}

/** Attempts count from 1 (K2). Another engine's attempts may be any string; any different one then counts as newer. */
function compareAttempts(a: string, b: string): number {
  if (a === b) return 0;
  const difference = Number(a) - Number(b);
  return Number.isNaN(difference) ? 1 : difference;
}
