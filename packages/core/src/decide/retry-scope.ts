/**
 * Determines the steps that run again when an operator retries (K4):
 *  - failed steps, and steps that were skipped or failed because of them;
 *  - compensated steps, because their effect is gone and no step may depend on it (D8);
 *  - the containers around these, which resume with the recorded results of their closures.
 * A step is kept if its repeat has started a later pass: the passes of a repeat run one after the other.
 */
import { ON_FAILURE, type StepRow } from "@runledger/contracts";
import type { RunState } from "../fold/run-state.js";
import { idsAround, UNDO } from "./instance-ids.js";

/**
 * `only` limits the retry to one step (for a container: everything failed inside it) and the steps that wait for it.
 */
export function stepsToRetry(state: RunState, only?: string): string[] {
  const rows = state.steps.rows();
  const named = only === undefined ? rows : rows.filter(({ stepId }) => isWithin(stepId, only));
  const again = named.filter((row) => isRetried(row) || (row.stepId === only && row.status === "SKIPPED"));
  const ids = again.map(({ stepId }) => stepId).filter((stepId) => !isPast(state, stepId));
  return inOrder(spread(state, rows, new Set([...ids, ...undone(rows), ...handled(state)])));
}

/** Returns the steps that the failure of a step has blocked. */
export function stepsHeldUpBy(state: RunState, stepId: string): string[] {
  if (isPast(state, stepId)) return [];
  const rows = state.steps.rows();
  const held = spread(state, rows, new Set([stepId]));
  held.delete(stepId);
  return inOrder(held);
}

/** Adds containers and blocked steps until there are no more. */
function spread(state: RunState, rows: readonly StepRow[], found: Set<string>): Set<string> {
  const causedBy = byCulprit(rows);
  for (const stepId of found) {
    for (const around of idsAround(stepId)) if (hasEnded(state.steps.get(around))) found.add(around);
    for (const next of causedBy.get(stepId) ?? []) found.add(next);
  }
  return found;
}

function byCulprit(rows: readonly StepRow[]): ReadonlyMap<string, readonly string[]> {
  const groups = new Map<string, string[]>();
  for (const { stepId, culprit } of rows) {
    if (culprit === undefined) continue;
    const group = groups.get(culprit);
    if (group === undefined) groups.set(culprit, [stepId]);
    else group.push(stepId);
  }
  return groups;
}

function isRetried({ status, culprit }: StepRow): boolean {
  return status === "FAILED" || (status === "SKIPPED" && culprit !== undefined);
}

/**
 * Returns compensated steps and their compensations, so that the next cancellation compensates them again. A failed
 * compensation has left the effect in place.
 */
function undone(rows: readonly StepRow[]): string[] {
  const undos = rows.filter((row) => row.stepId.startsWith(UNDO) && hasEnded(row));
  return undos.flatMap(({ stepId, status }) => (status === "SUCCESS" ? [stepId, stepId.slice(UNDO.length)] : [stepId]));
}

/** The failure handler runs again before the next failure. */
function handled(state: RunState): string[] {
  return hasEnded(state.steps.get(ON_FAILURE)) ? [ON_FAILURE] : [];
}

/** `true` if a later pass of a repeat has followed the pass around the step. */
function isPast(state: RunState, stepId: string): boolean {
  return idsAround(stepId).some((around) => hasFollower(state, around));
}

/** Passes have ids of the form `container/index`. The items of a forEach have no such steps. */
function hasFollower(state: RunState, id: string): boolean {
  const names = id.split("/");
  const index = Number(names.pop());
  return names.length % 2 === 1 && hasStarted(state.steps.get([...names, index + 1].join("/")));
}

function isWithin(stepId: string, container: string): boolean {
  return stepId === container || stepId.startsWith(`${container}/`);
}

function hasStarted(row: StepRow | undefined): boolean {
  return row !== undefined && row.status !== "PENDING";
}

function hasEnded(row: StepRow | undefined): boolean {
  return row !== undefined && row.status !== "PENDING" && row.status !== "RUNNING";
}

/**
 * Sorts by name, numbers by value. The order is the same whether the state was replayed or restored from a checkpoint.
 */
function inOrder(found: ReadonlySet<string>): string[] {
  const named = [...found].map((stepId) => ({
    stepId,
    key: stepId.replace(/\d+/g, (digits) => digits.padStart(9, "0")),
  }));
  return named.sort((a, b) => (a.key < b.key ? -1 : 1)).map(({ stepId }) => stepId);
}
