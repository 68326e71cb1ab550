/** Lists the steps of a run as rows with depth, status and notes. */
import type { PlanBody, PlanStep, StepRow } from "@runledger/contracts";
import { prefixOf, UNDO } from "@runledger/core";
import { notesOf } from "./tree-notes.js";
import type { TreeView } from "./tree-view.js";

export type Mark = "done" | "running" | "waiting" | "open" | "failed" | "skipped";

export interface TreeRow {
  readonly depth: number;
  readonly mark: Mark;
  readonly name: string;
  /** Computed only for rows that are shown. */
  readonly notes: () => readonly string[];
}

/** Maximum number of failed items shown below a forEach. */
const MAX_FAILED_ITEMS = 3;

export function treeRows(view: TreeView): TreeRow[] {
  if (view.plan === null) return view.state.steps.rows().map((row) => toRow(view, undefined, row.stepId, row, 0));
  const undone = view.state.steps.rows().filter(({ stepId }) => stepId.startsWith(UNDO));
  const body = bodyRows(view, view.plan.body, "", 0);
  return [...body, ...undone.map((row) => toRow(view, undefined, row.stepId, row, 0))];
}

function bodyRows(view: TreeView, body: PlanBody, prefix: string, depth: number): TreeRow[] {
  return body.steps.flatMap((step) => {
    const row = view.state.steps.get(prefix + step.id);
    const own = toRow(view, step, step.id, row, depth);
    return row === undefined ? [own] : [own, ...innerRows(view, step, row, depth + 1)];
  });
}

function innerRows(view: TreeView, step: PlanStep, row: StepRow, depth: number): TreeRow[] {
  const [first, otherwise] = step.bodies ?? [];
  switch (step.kind) {
    case "when": {
      const branch = row.opened?.branch ?? 0;
      const taken = branch === 0 ? first : otherwise;
      return taken === undefined ? [] : bodyRows(view, taken, prefixOf(row.stepId, branch), depth);
    }
    case "repeat": {
      const iteration = latestIteration(view, row.stepId);
      return iteration === null || first === undefined
        ? []
        : bodyRows(view, first, prefixOf(row.stepId, iteration), depth);
    }
    case "forEach":
      return failedItems(view, row.stepId).map((item) => toRow(view, undefined, item.stepId, item, depth));
    default:
      return [];
  }
}

function latestIteration({ state }: TreeView, containerId: string): number | null {
  let iteration = -1;
  while (state.steps.get(`${containerId}/${iteration + 1}`) !== undefined) iteration++;
  return iteration === -1 ? null : iteration;
}

function failedItems({ state }: TreeView, containerId: string): StepRow[] {
  if (state.failedSteps === 0) return [];
  const inside = state.steps.rows().filter(({ stepId }) => stepId.startsWith(`${containerId}/`));
  return inside
    .filter(({ status, retryAt }) => status === "FAILED" && retryAt === undefined)
    .slice(0, MAX_FAILED_ITEMS);
}

function toRow(
  view: TreeView,
  step: PlanStep | undefined,
  name: string,
  row: StepRow | undefined,
  depth: number,
): TreeRow {
  return { depth, mark: markOf(step, row), name, notes: () => (row === undefined ? [] : notesOf(view, step, row)) };
}

function markOf(step: PlanStep | undefined, row: StepRow | undefined): Mark {
  switch (row?.status) {
    case undefined:
    case "PENDING":
      return "open";
    case "RUNNING":
      return step?.kind === "wait" || step?.kind === "sleep" ? "waiting" : "running";
    case "SUCCESS":
      return "done";
    case "FAILED":
      return row?.retryAt === undefined ? "failed" : "waiting";
    case "SKIPPED":
      return "skipped";
  }
}
