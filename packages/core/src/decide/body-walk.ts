/** Walking the steps of a body: who may start, who is skipped, and whether it is done. */
import { builtInKinds, type PlanBody, type PlanStep, type StepRow } from "@runledger/contracts";
import type { RunState } from "../fold/run-state.js";
import type { Command } from "./commands.js";
import { instanceId, pathOf } from "./instance-ids.js";

/** What a walk has found so far, and what it may ask for. */
export interface Walk {
  readonly stepAt: ReadonlyMap<string, PlanStep>;
  readonly state: RunState;
  readonly commands: Command[];
  /** Signals that this walk has given to a wait. */
  readonly taken: Set<string>;
  /** False while the run is paused: what runs goes on, nothing new starts (D8). */
  readonly mayStart: boolean;
}

/** How a step or a body stands: still open, done, or failed because of a step. */
export type Standing = { readonly done: false } | { readonly done: true; readonly culprit: string | null };

const OPEN: Standing = { done: false };

export type WalkRunning = (walk: Walk, step: PlanStep, row: StepRow) => void;

export function walkBody(walk: Walk, body: PlanBody, prefix: string, walkRunning: WalkRunning): Standing {
  let open = false;
  let culprit: string | null = null;
  for (const step of body.steps) {
    const standing = walkStep(walk, step, prefix, walkRunning);
    if (!standing.done) open = true;
    else if (!step.continueOnFailure) culprit ??= standing.culprit;
  }
  return open ? OPEN : { done: true, culprit };
}

function walkStep(walk: Walk, step: PlanStep, prefix: string, walkRunning: WalkRunning): Standing {
  const stepId = prefix + step.id;
  const row = walk.state.steps.get(stepId);
  if (row?.status === "RUNNING") {
    walkRunning(walk, step, row);
    return OPEN;
  }
  if (row !== undefined && row.status !== "PENDING") return walkEnded(walk, step, row);
  return walkWaiting(walk, step, stepId, prefix);
}

function walkEnded(walk: Walk, step: PlanStep, row: StepRow): Standing {
  if (row.status !== "FAILED" || row.retryAt === undefined) return standingOf(row);
  const attempt = Number(row.logicalAttemptId) + 1;
  if (walk.mayStart) walk.commands.push(start(step, row.stepId, attempt, undefined, row.retryAt));
  return OPEN;
}

function walkWaiting(walk: Walk, step: PlanStep, stepId: string, prefix: string): Standing {
  const reset = walk.state.steps.get(stepId);
  const attempt = Number(reset?.logicalAttemptId ?? "1");
  let ready = true;
  for (const path of [...Object.values(step.needs), ...step.after]) {
    const row = walk.state.steps.get(instanceId(path, prefix));
    const standing = row === undefined ? OPEN : standingOf(row);
    if (!standing.done) ready = false;
    else if (standing.culprit !== null && walk.stepAt.get(path)?.continueOnFailure !== true) {
      walk.commands.push(skip(stepId, attempt, standing.culprit));
      return OPEN; // done once the skip is on record
    }
  }
  if (ready && walk.mayStart) walk.commands.push(start(step, stepId, attempt, reset));
  return OPEN;
}

/** Skipped because of somebody else's failure is a failure too; skipped by an operator is not (D8). */
export function standingOf(row: StepRow): Standing {
  if (row.status === "PENDING" || row.status === "RUNNING") return OPEN;
  if (row.status === "FAILED") return row.retryAt === undefined ? { done: true, culprit: row.stepId } : OPEN;
  return { done: true, culprit: row.culprit ?? null };
}

const OPENED_BY_CLOSURE = new Set(["when", "forEach", "child"]);

/** Containers whose closure must be asked are opened; a `wait`, a `repeat` and a plain `sleep` just begin. */
function start(step: PlanStep, stepId: string, attempt: number, row: StepRow | undefined, notBefore?: string): Command {
  const due = notBefore === undefined ? {} : { notBefore };
  const asksClosure = OPENED_BY_CLOSURE.has(step.kind) || (step.kind === "sleep" && step.forMs === undefined);
  if (isRunner(step.kind)) return { type: "run", stepId, path: pathOf(stepId), attempt, ...due };
  if (asksClosure && row?.opened === undefined) return { type: "open", stepId, path: pathOf(stepId), attempt, ...due };
  const data = row?.opened === undefined ? {} : { data: { opened: { ...row.opened } } };
  return { type: "append", event: { eventType: "StepStarted", stepId, attempt, ...data }, ...due };
}

export function isRunner(kind: string): boolean {
  return !(builtInKinds as readonly string[]).includes(kind);
}

function skip(stepId: string, attempt: number, culprit: string): Command {
  const data = { reason: "UPSTREAM_FAILED", culprit };
  return { type: "append", event: { eventType: "StepSkipped", stepId, attempt, data } };
}
