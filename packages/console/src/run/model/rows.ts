/** Which rows a timeline has: the plan's steps in their order, and inside open containers what they have begun. */
import { indexPlan, pathOf, UNDO, type RunState } from "@runledger/core";
import type { Plan, PlanBody, PlanStep, StepRow } from "@runledger/contracts";
import { stateRows } from "./state-rows.js";
import type { ViewStatus } from "./view.js";

export interface RowPlace {
  readonly stepId: string;
  readonly label: string;
  readonly depth: number;
  /** Undefined = the plan is not known, or does not have it. */
  readonly step: PlanStep | undefined;
  /** Of one pass through a container: its steps are rows below it. */
  readonly isPass: boolean;
}

/** More passes than this are not listed one by one; they can be found by name or status. */
const MOST_PASSES = 100_000;

export function placeRows(plan: Plan | null, state: RunState, open: ReadonlySet<string>): readonly RowPlace[] {
  const known = stateRows(state);
  if (plan === null) return known.map(({ stepId }) => foreign(stepId));
  const placed: RowPlace[] = [];
  placeBody(plan.body, { prefix: "", depth: 0, state, open, placed });
  const undone = known.filter(({ stepId }) => stepId.startsWith(UNDO));
  for (const { stepId } of undone) placed.push({ ...foreign(stepId), label: `undo ${stepId.slice(UNDO.length)}` });
  return placed;
}

interface Placing {
  readonly prefix: string;
  readonly depth: number;
  readonly state: RunState;
  readonly open: ReadonlySet<string>;
  readonly placed: RowPlace[];
}

function placeBody(body: PlanBody, placing: Placing): void {
  for (const step of body.steps) {
    const stepId = placing.prefix + step.id;
    placing.placed.push({ stepId, label: step.id, depth: placing.depth, step, isPass: false });
    if (step.bodies !== undefined && placing.open.has(stepId)) placePasses(stepId, step, placing);
  }
}

function placePasses(containerId: string, step: PlanStep, placing: Placing): void {
  const { state, depth } = placing;
  for (const index of passesOf(state, containerId, step)) {
    const body = step.bodies![step.kind === "when" ? index : 0];
    if (body === undefined) continue;
    const passId = `${containerId}/${index}`;
    const only = body.steps.length === 1 ? body.steps[0]! : null;
    if (step.kind === "when") placeBody(body, { ...placing, prefix: `${passId}/`, depth: depth + 1 });
    else if (only !== null && only.bodies === undefined)
      placing.placed.push({
        stepId: `${passId}/${only.id}`,
        label: `${index} ${only.id}`,
        depth: depth + 1,
        step: only,
        isPass: false,
      });
    else placePass(passId, String(index), body, placing);
  }
}

function placePass(passId: string, label: string, body: PlanBody, placing: Placing): void {
  placing.placed.push({ stepId: passId, label, depth: placing.depth + 1, step: undefined, isPass: true });
  if (placing.open.has(passId)) placeBody(body, { ...placing, prefix: `${passId}/`, depth: placing.depth + 2 });
}

/** Those that there are, or that have begun. */
function* passesOf(state: RunState, containerId: string, step: PlanStep): Generator<number> {
  const opened = state.steps.get(containerId)?.opened;
  if (step.kind === "when") {
    if (opened?.branch !== undefined) yield opened.branch;
    return;
  }
  const count = Math.min(opened?.count ?? Infinity, MOST_PASSES);
  for (let index = 0; index < count; index++) {
    if (step.kind === "repeat" && state.steps.get(`${containerId}/${index}`) === undefined) return;
    yield index;
  }
}

function foreign(stepId: string): RowPlace {
  return { stepId, label: stepId, depth: 0, step: undefined, isPass: false };
}

/** Wherever they are in the plan. */
export function findRows(
  plan: Plan | null,
  state: RunState,
  fits: (row: StepRow, step: PlanStep | undefined) => boolean,
): readonly RowPlace[] {
  const stepAt = plan === null ? null : indexPlan(plan);
  const rows = stateRows(state).map((row) => ({ row, step: stepAt?.get(pathOf(row.stepId)) }));
  return rows
    .filter(({ row, step }) => fits(row, step))
    .map(({ row, step }) => ({ stepId: row.stepId, label: row.stepId, depth: 0, step, isPass: false }));
}

export function statusOf(row: StepRow | undefined, step: PlanStep | undefined): ViewStatus {
  if (row === undefined) return "NOT_STARTED";
  const { status } = row;
  if (status === "RUNNING" && (step?.kind === "wait" || step?.kind === "sleep")) return "WAITING";
  if (status === "FAILED" && row.retryAt !== undefined) return "RETRYING";
  return status;
}
