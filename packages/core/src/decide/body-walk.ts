/**
 * Walks the steps of a body: starts the ready ones, skips those that cannot run, and reports whether the body is done.
 */
import { builtInKinds, type PendingAction, type PlanBody, type PlanStep, type StepRow } from "@runledger/contracts";
import type { RunState } from "../fold/run-state.js";
import type { Command } from "./commands.js";
import type { PassMemory } from "./passes.js";
import { instanceId, pathOf } from "./instance-ids.js";

/** The context of a walk and the commands found so far. */
export interface Walk {
  readonly stepAt: ReadonlyMap<string, PlanStep>;
  readonly state: RunState;
  readonly commands: Command[];
  /** The progress of the passes of each forEach (D4). */
  readonly memory: PassMemory;
  /** Signals that this walk has assigned to a wait. */
  readonly taken: Set<string>;
  /** Running steps that must end early. */
  readonly ending: ReadonlyMap<string, PendingAction>;
  /** `false` while the run is paused: running steps continue, no step starts (D8). */
  readonly mayStart: boolean;
}

/** The state of a step or a body: unfinished, done, or failed because of a step. */
export type Standing = { readonly done: false } | { readonly done: true; readonly culprit: string | null };

const OPEN: Standing = { done: false };

export type WalkRunning = (walk: Walk, step: PlanStep, row: StepRow) => void;

export function walkBody(walk: Walk, body: PlanBody, prefix: string, walkRunning: WalkRunning): Standing {
  let open = false;
  let culprit: string | null = null;
  for (const step of body.steps) {
    const standing = walkStep(walk, step, prefix, walkRunning);
    if (!standing.done) open = true;
    else if (!toleratesFailure(step)) culprit ??= standing.culprit;
  }
  return open ? OPEN : { done: true, culprit };
}

/** Dependents of such a step run even if it fails (D8). */
function toleratesFailure({ continueOnFailure, settle }: PlanStep): boolean {
  return continueOnFailure === true || settle === true;
}

function walkStep(walk: Walk, step: PlanStep, prefix: string, walkRunning: WalkRunning): Standing {
  const row = walk.state.steps.get(prefix + step.id);
  if (row === undefined || row.status === "PENDING") return walkWaiting(walk, step, prefix, row);
  if (row.status !== "RUNNING") return walkEnded(walk, step, row);
  walkRunning(walk, step, row);
  return OPEN;
}

function walkEnded(walk: Walk, step: PlanStep, row: StepRow): Standing {
  const standing = standingOf(row);
  if (!standing.done && walk.mayStart) {
    const retry = start(step, row.stepId, Number(row.logicalAttemptId) + 1, undefined);
    walk.commands.push({ ...retry, notBefore: row.retryAt! });
  }
  return standing;
}

function walkWaiting(walk: Walk, step: PlanStep, prefix: string, reset: StepRow | undefined): Standing {
  const stepId = prefix + step.id;
  const attempt = Number(reset?.logicalAttemptId ?? "1");
  let ready = true;
  for (const path of [...Object.values(step.needs), ...step.after]) {
    const row = walk.state.steps.get(instanceId(path, prefix));
    const standing = row === undefined ? OPEN : standingOf(row);
    if (!standing.done) ready = false;
    else if (standing.culprit !== null && !toleratesFailure(walk.stepAt.get(path)!)) {
      walk.commands.push(skip(stepId, attempt, standing.culprit));
      return OPEN; // done after the skip is recorded
    }
  }
  if (ready && walk.mayStart) walk.commands.push(start(step, stepId, attempt, reset));
  return OPEN;
}

/** A step skipped because of another step's failure counts as failed; one skipped by an operator does not (D8). */
export function standingOf(row: StepRow): Standing {
  if (row.status === "PENDING" || row.status === "RUNNING") return OPEN;
  if (row.status === "FAILED") return row.retryAt === undefined ? { done: true, culprit: row.stepId } : OPEN;
  return { done: true, culprit: row.culprit ?? null };
}

type Start = Extract<Command, { readonly type: "append" | "run" | "open" }>;

/**
 * Runs a step that does work. Opens a container whose closure has not been called yet. The recorded result of a closure
 * stays valid, so a reset container starts without calling it again (D1). The same applies to a `wait`, a `repeat` and
 * a plain `sleep`.
 */
function start(step: PlanStep, stepId: string, attempt: number, reset: StepRow | undefined): Start {
  const at = { stepId, path: pathOf(stepId), attempt };
  if (isRunner(step.kind)) return { type: "run", ...at };
  const opened = step.kind === "child" ? undefined : reset?.opened; // another attempt starts another child (D9)
  if (asksClosure(step) && opened === undefined) return { type: "open", ...at };
  const data = { ...(opened === undefined ? {} : { opened: { ...opened } }), ...waitOf(step) };
  const said = Object.keys(data).length === 0 ? {} : { data };
  return { type: "append", event: { eventType: "StepStarted", stepId, attempt, ...said } };
}

/** Recorded for a step that only waits, so that readers without the plan can show it. */
export function waitOf({ kind, signal }: PlanStep): { readonly waitsFor?: string } {
  if (kind === "wait") return { waitsFor: `signal ${signal}` };
  return kind === "sleep" ? { waitsFor: "timer" } : {};
}

const OPENED_BY_CLOSURE = new Set(["when", "forEach", "child"]);

function asksClosure({ kind, forMs }: PlanStep): boolean {
  return OPENED_BY_CLOSURE.has(kind) || (kind === "sleep" && forMs === undefined);
}

const BUILT_IN = new Set<string>(builtInKinds);

export function isRunner(kind: string): boolean {
  return !BUILT_IN.has(kind);
}

function skip(stepId: string, attempt: number, culprit: string): Command {
  const data = { reason: "UPSTREAM_FAILED", culprit };
  return { type: "append", event: { eventType: "StepSkipped", stepId, attempt, data } };
}
