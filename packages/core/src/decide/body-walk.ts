/** Walking the steps of a body: who may start, who is skipped, and whether it is done. */
import { builtInKinds, type PendingAction, type PlanBody, type PlanStep, type StepRow } from "@runledger/contracts";
import type { RunState } from "../fold/run-state.js";
import type { Command } from "./commands.js";
import type { PassMemory } from "./passes.js";
import { instanceId, pathOf } from "./instance-ids.js";

/** What a walk has found so far, and what it may ask for. */
export interface Walk {
  readonly stepAt: ReadonlyMap<string, PlanStep>;
  readonly state: RunState;
  readonly commands: Command[];
  /** Where the passes of each forEach stand (D4). */
  readonly memory: PassMemory;
  /** Signals that this walk has given to a wait. */
  readonly taken: Set<string>;
  /** Steps that are to end although they run. */
  readonly ending: ReadonlyMap<string, PendingAction>;
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
    else if (step.continueOnFailure !== true) culprit ??= standing.culprit;
  }
  return open ? OPEN : { done: true, culprit };
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
    else if (standing.culprit !== null && walk.stepAt.get(path)!.continueOnFailure !== true) {
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

type Start = Extract<Command, { readonly type: "append" | "run" | "open" }>;

/**
 * A step that does work is run. A container whose closure is still to be asked is opened; what it once returned holds,
 * so that a step that was reset just begins (D1), as do a `wait`, a `repeat` and a plain `sleep`.
 */
function start(step: PlanStep, stepId: string, attempt: number, reset: StepRow | undefined): Start {
  const at = { stepId, path: pathOf(stepId), attempt };
  if (isRunner(step.kind)) return { type: "run", ...at };
  const opened = step.kind === "child" ? undefined : reset?.opened; // another attempt is another child (D9)
  if (asksClosure(step) && opened === undefined) return { type: "open", ...at };
  const data = { ...(opened === undefined ? {} : { opened: { ...opened } }), ...waitOf(step) };
  const said = Object.keys(data).length === 0 ? {} : { data };
  return { type: "append", event: { eventType: "StepStarted", stepId, attempt, ...said } };
}

/** What is on record of a step that only waits, so that who has no plan can say it. */
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
