/**
 * The state that an engine resumes from (C1): the header and the steps. Steps of which only their success matters are
 * stored as ranges. `decide` returns the same commands for the restored state as for the original.
 */
import { sha256Hex, type Checkpoint, type Plan, type RunHeader, type StepRow } from "@runledger/contracts";
import { pathOf } from "../decide/instance-ids.js";
import { indexPlan } from "../decide/plan-index.js";
import { CompletedSteps, passOf, type IndexRange } from "../fold/completed-steps.js";
import { toRunHeader, toRunState, type RunState } from "../fold/run-state.js";
import { StepTable } from "../fold/step-table.js";

/**
 * Format version of `Checkpoint.data`. A reader that does not know it replays the log. Only format 2 has passes of a
 * repeat as ranges. A checkpoint without them is written in format 1, so that workers of the previous version can use it.
 */
export const CHECKPOINT_FORMAT = 2;
const WITHOUT_PASSES = 1;

interface Content {
  readonly header: RunHeader;
  readonly rows: readonly StepRow[];
  readonly completed: readonly (readonly [group: string, ranges: readonly IndexRange[]])[];
}

/**
 * Returns the same state with plain completed steps as ranges. An engine compacts from time to time, so that memory and
 * checkpoints grow with unfinished steps, not with completed ones.
 */
export function compact(plan: Plan, state: RunState): RunState {
  const { rows, completed } = state.steps.parts();
  const kept: StepRow[] = [];
  const added = new Map<string, number[]>();
  for (const row of rows) {
    const place = isPlain(plan, state, row) ? passOf(row.stepId) : null;
    if (place === null) kept.push(row);
    else if (added.get(place.group)?.push(place.index) === undefined) added.set(place.group, [place.index]);
  }
  const others = (completed ?? new CompletedSteps(new Map())).without(kept.map(({ stepId }) => stepId));
  return { ...state, steps: StepTable.of(kept, others.with(added)) };
}

/** Expects a compacted state. The label is the last folded seq, never a later one (C2). */
export function toCheckpoint(state: RunState): Checkpoint {
  const { rows, completed } = state.steps.parts();
  const content: Content = { header: toRunHeader(state), rows, completed: completed?.groups() ?? [] };
  const data = JSON.stringify(content);
  const hasPasses = content.completed.some(([group]) => group.endsWith("/#"));
  const format = hasPasses ? CHECKPOINT_FORMAT : WITHOUT_PASSES;
  return { runId: state.runId, seq: state.lastEventSeq, format, data, checksum: sha256Hex(data) };
}

/** Returns `null` if the checkpoint is unusable and the log must be replayed (C3). */
export function fromCheckpoint(checkpoint: Checkpoint): RunState | null {
  const { format, data, checksum } = checkpoint;
  if (![WITHOUT_PASSES, CHECKPOINT_FORMAT].includes(format) || sha256Hex(data) !== checksum) return null;
  const { header, rows, completed } = JSON.parse(data) as Content;
  return toRunState(header, rows, new CompletedSteps(new Map(completed)));
}

/**
 * Returns `true` if the step succeeded at its first attempt and its end time is irrelevant. Compensation needs the
 * order in which steps finished (D8).
 */
function isPlain(plan: Plan, state: RunState, row: StepRow): boolean {
  const { status, logicalAttemptId, artifacts, opened, again, budgetFrom, culprit } = row;
  if (status !== "SUCCESS" || logicalAttemptId !== "1" || artifacts.length > 0) return false;
  if ([opened, budgetFrom, culprit].some((field) => field !== undefined)) return false;
  if (again === true) return isFollowed(state, row.stepId);
  if (again === false || isPassId(row.stepId)) return false;
  return indexPlan(plan).get(pathOf(row.stepId))?.compensate !== true;
}

/** Containers and indexes alternate, so the id of a pass has an even number of names. */
function isPassId(stepId: string): boolean {
  return stepId.split("/").length % 2 === 0;
}

/** The next pass of a repeat has started, so the end time of this one is irrelevant. */
function isFollowed({ steps }: RunState, passId: string): boolean {
  const place = passId.lastIndexOf("/") + 1;
  return steps.get(passId.slice(0, place) + String(Number(passId.slice(place)) + 1)) !== undefined;
}
