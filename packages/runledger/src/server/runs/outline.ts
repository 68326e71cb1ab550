/** A run of any size in one small answer: its outermost steps, and the others as numbers. */
import type { StepRow } from "@runledger/contracts";
import { toRunHeader, UNDO, type RunState } from "@runledger/core";

/** More steps side by side than this are left out: nobody looks at them one by one. */
const MOST_STEPS = 2000;

const PARTS = {
  SUCCESS: "done",
  FAILED: "failed",
  RUNNING: "running",
  PENDING: "waiting",
  SKIPPED: "skipped",
} as const;

type Tally = Record<(typeof PARTS)[StepRow["status"]], number>;

export function outlineOf(state: RunState) {
  const outermost: StepRow[] = [];
  const groups = new Map<string, Tally>();
  for (const row of state.steps.rows()) {
    const [container, ...rest] = row.stepId.split("/");
    if (rest.length === 0 || row.stepId.startsWith(UNDO)) outermost.push(row);
    else count(groups, container!, row.status);
  }
  return {
    run: toRunHeader(state),
    steps: outermost.slice(0, MOST_STEPS),
    complete: outermost.length <= MOST_STEPS,
    groups: [...groups].map(([stepId, tally]) => ({ stepId, ...tally })),
  };
}

function count(groups: Map<string, Tally>, container: string, status: StepRow["status"]): void {
  const tally = groups.get(container) ?? { done: 0, failed: 0, running: 0, waiting: 0, skipped: 0 };
  tally[PARTS[status]]++;
  groups.set(container, tally);
}
