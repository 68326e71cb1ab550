/**
 * What an engine resumes from (C1): the header, and the steps, those of which nothing matters but that they succeeded
 * as ranges. `decide` says the same of a state that came through here as of the one that went in.
 */
import { sha256Hex, type Checkpoint, type Plan, type RunHeader, type StepRow } from "@runledger/contracts";
import { pathOf } from "../decide/instance-ids.js";
import { indexPlan } from "../decide/plan-index.js";
import { CompletedSteps, passOf, type IndexRange } from "../fold/completed-steps.js";
import { toRunHeader, toRunState, type RunState } from "../fold/run-state.js";
import { StepTable } from "../fold/step-table.js";

/** Of `Checkpoint.data`. Another number means: replay the log. */
export const CHECKPOINT_FORMAT = 1;

interface Content {
  readonly header: RunHeader;
  readonly rows: readonly StepRow[];
  readonly completed: readonly (readonly [group: string, ranges: readonly IndexRange[]])[];
}

/**
 * The same state with what can be told in ranges told in ranges. An engine compacts now and then, so that its memory
 * and its checkpoints grow with what is open, not with what is done.
 */
export function compact(plan: Plan, state: RunState): RunState {
  const { rows, completed } = state.steps.parts();
  const kept: StepRow[] = [];
  const added = new Map<string, number[]>();
  for (const row of rows) {
    const place = isPlain(plan, row) ? passOf(row.stepId) : null;
    if (place === null) kept.push(row);
    else if (added.get(place.group)?.push(place.index) === undefined) added.set(place.group, [place.index]);
  }
  const others = (completed ?? new CompletedSteps(new Map())).without(kept.map(({ stepId }) => stepId));
  return { ...state, steps: StepTable.of(kept, others.with(added)) };
}

/** Of a compacted state. Labelled with the last seq that was folded, never with one that is still to come (C2). */
export function toCheckpoint(state: RunState): Checkpoint {
  const { rows, completed } = state.steps.parts();
  const content: Content = { header: toRunHeader(state), rows, completed: completed?.groups() ?? [] };
  const data = JSON.stringify(content);
  return { runId: state.runId, seq: state.lastEventSeq, format: CHECKPOINT_FORMAT, data, checksum: sha256Hex(data) };
}

/** Null = it cannot be used, and the log must be replayed (C3). */
export function fromCheckpoint(checkpoint: Checkpoint): RunState | null {
  const { format, data, checksum } = checkpoint;
  if (format !== CHECKPOINT_FORMAT || sha256Hex(data) !== checksum) return null;
  const { header, rows, completed } = JSON.parse(data) as Content;
  return toRunState(header, rows, new CompletedSteps(new Map(completed)));
}

/** Succeeded at the first attempt, and nobody asks when: what can be undone is undone in the order of its end (D8). */
function isPlain(plan: Plan, row: StepRow): boolean {
  const { status, logicalAttemptId, artifacts, opened, again, budgetFrom, culprit } = row;
  if (status !== "SUCCESS" || logicalAttemptId !== "1" || artifacts.length > 0) return false;
  if ([opened, again, budgetFrom, culprit].some((field) => field !== undefined)) return false;
  return indexPlan(plan).get(pathOf(row.stepId))?.compensate !== true;
}
