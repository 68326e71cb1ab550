/**
 * What runs again when an operator retries, and nothing else (K4):
 *  - what failed, and what was skipped or failed because of it;
 *  - what was undone: its effect is gone, so that nothing may build on it (D8);
 *  - the containers around these, which go on with what their closures once returned.
 */
import type { StepRow } from "@runledger/contracts";
import type { RunState } from "../fold/run-state.js";
import { idsAround, UNDO } from "./instance-ids.js";

/** `only` narrows it to one step (of a container: with all that failed in it) and those who wait for it. */
export function stepsToRetry(state: RunState, only?: string): string[] {
  const rows = state.steps.rows();
  const named = only === undefined ? rows : rows.filter(({ stepId }) => isWithin(stepId, only));
  const again = named.filter((row) => isRetried(row) || (row.stepId === only && row.status === "SKIPPED"));
  const seeds = [...again.map(({ stepId }) => stepId), ...undone(rows)];
  return inOrder(spread(state, rows, new Set(seeds)));
}

/** What a step's failure led to: everything that goes on once it is out of the way. */
export function stepsHeldUpBy(state: RunState, stepId: string): string[] {
  const rows = state.steps.rows();
  const held = spread(state, rows, new Set([stepId]));
  held.delete(stepId);
  return inOrder(held);
}

/** Adds containers and those who waited, until there are no more. */
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

/** A step that was undone, and what undid it: the next cancellation undoes it once more. A failed undo left its effect. */
function undone(rows: readonly StepRow[]): string[] {
  const undos = rows.filter((row) => row.stepId.startsWith(UNDO) && hasEnded(row));
  return undos.flatMap(({ stepId, status }) => (status === "SUCCESS" ? [stepId, stepId.slice(UNDO.length)] : [stepId]));
}

function isWithin(stepId: string, container: string): boolean {
  return stepId === container || stepId.startsWith(`${container}/`);
}

function hasEnded(row: StepRow | undefined): boolean {
  return row !== undefined && row.status !== "PENDING" && row.status !== "RUNNING";
}

/** By name, numbers by their size: the same whether the state was replayed or resumed from a checkpoint. */
function inOrder(found: ReadonlySet<string>): string[] {
  const named = [...found].map((stepId) => ({
    stepId,
    key: stepId.replace(/\d+/g, (digits) => digits.padStart(9, "0")),
  }));
  return named.sort((a, b) => (a.key < b.key ? -1 : 1)).map(({ stepId }) => stepId);
}
