/** Lists the rows of the timeline: the steps of the plan in order, and the started steps of open containers. */
import { indexPlan, pathOf, UNDO, type RunState } from "@runledger/core";
import type { Plan, PlanBody, PlanStep, StepRow } from "@runledger/contracts";
import { innerRows, stateRows } from "./state-rows.js";
import type { ViewStatus } from "./view.js";

export interface RowPlace {
  readonly stepId: string;
  readonly label: string;
  readonly depth: number;
  /** `undefined` if the plan is not loaded or does not contain the step. */
  readonly step: PlanStep | undefined;
  /** The row is one pass through a container. Its steps are the rows below it. */
  readonly isPass: boolean;
}

/** Further passes are not listed, but the filter finds them. */
const MAX_PASSES = 100_000;

export function placeRows(plan: Plan | null, state: RunState, open: ReadonlySet<string>): readonly RowPlace[] {
  const known = stateRows(state);
  if (plan === null) return known.map(({ stepId }) => foreign(stepId));
  const placed: RowPlace[] = [];
  placeBody(plan.body, { prefix: "", depth: 0, state, open, placed });
  const undone = known.filter(({ stepId }) => stepId.startsWith(UNDO));
  for (const { stepId } of undone) placed.push({ ...foreign(stepId), label: `undo ${stepId.slice(UNDO.length)}` });
  return placed;
}

interface RowBuilder {
  readonly prefix: string;
  readonly depth: number;
  readonly state: RunState;
  readonly open: ReadonlySet<string>;
  readonly placed: RowPlace[];
}

function placeBody(body: PlanBody, builder: RowBuilder): void {
  for (const step of body.steps) {
    const stepId = builder.prefix + step.id;
    builder.placed.push({ stepId, label: step.id, depth: builder.depth, step, isPass: false });
    if (!builder.open.has(stepId)) continue;
    if (step.bodies === undefined) placeInner(stepId, builder);
    else placePasses(stepId, step, builder);
  }
}

/** Lists steps that the runner of a step has recorded. The plan does not contain them. */
function placeInner(containerId: string, { state, depth, placed }: RowBuilder): void {
  for (const { stepId } of innerRows(state).get(containerId) ?? []) {
    const label = stepId.slice(containerId.length + 1);
    placed.push({ stepId, label, depth: depth + 1, step: undefined, isPass: false });
  }
}

function placePasses(containerId: string, step: PlanStep, builder: RowBuilder): void {
  const { state, depth } = builder;
  for (const index of passesOf(state, containerId, step)) {
    const body = step.bodies![step.kind === "when" ? index : 0];
    if (body === undefined) continue;
    const passId = `${containerId}/${index}`;
    const only = body.steps.length === 1 ? body.steps[0]! : null;
    if (step.kind === "when") placeBody(body, { ...builder, prefix: `${passId}/`, depth: depth + 1 });
    else if (only !== null && only.bodies === undefined)
      builder.placed.push({
        stepId: `${passId}/${only.id}`,
        label: `${index} ${only.id}`,
        depth: depth + 1,
        step: only,
        isPass: false,
      });
    else placePass(passId, String(index), body, builder);
  }
}

function placePass(passId: string, label: string, body: PlanBody, builder: RowBuilder): void {
  builder.placed.push({ stepId: passId, label, depth: builder.depth + 1, step: undefined, isPass: true });
  if (builder.open.has(passId)) placeBody(body, { ...builder, prefix: `${passId}/`, depth: builder.depth + 2 });
}

/** Yields the branch of a `when`, the started passes of a `repeat`, all passes of a `forEach`. */
function* passesOf(state: RunState, containerId: string, step: PlanStep): Generator<number> {
  const opened = state.steps.get(containerId)?.opened;
  if (step.kind === "when") {
    if (opened?.branch !== undefined) yield opened.branch;
    return;
  }
  const count = Math.min(opened?.count ?? Infinity, MAX_PASSES);
  for (let index = 0; index < count; index++) {
    if (step.kind === "repeat" && state.steps.get(`${containerId}/${index}`) === undefined) return;
    yield index;
  }
}

function foreign(stepId: string): RowPlace {
  return { stepId, label: stepId, depth: 0, step: undefined, isPass: false };
}

/** Returns matching steps from the whole run, also from closed containers. */
export function findRows(
  plan: Plan | null,
  state: RunState,
  matches: (row: StepRow, step: PlanStep | undefined) => boolean,
): readonly RowPlace[] {
  const stepAt = plan === null ? null : indexPlan(plan);
  const stepOf = (row: StepRow): PlanStep | undefined =>
    row.opened?.inner === undefined ? stepAt?.get(pathOf(row.stepId)) : undefined;
  const rows = stateRows(state).map((row) => ({ row, step: stepOf(row) }));
  return rows
    .filter(({ row, step }) => matches(row, step))
    .map(({ row, step }) => ({ stepId: row.stepId, label: row.stepId, depth: 0, step, isPass: false }));
}

export function statusOf(row: StepRow | undefined, step: PlanStep | undefined): ViewStatus {
  if (row === undefined) return "NOT_STARTED";
  const { status } = row;
  if (status === "RUNNING" && (step?.kind === "wait" || step?.kind === "sleep")) return "WAITING";
  if (status === "FAILED" && row.error?.code === "CANCELLED") return "CANCELLED";
  if (status === "FAILED" && row.retryAt !== undefined) return "RETRYING";
  return status;
}
