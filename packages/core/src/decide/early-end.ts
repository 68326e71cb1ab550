/** Steps that are to end although they run: skipped by an operator, or out of time. What is in them is stopped first. */
import type { PendingAction, StepRow } from "@runledger/contracts";
import type { RunState } from "../fold/run-state.js";
import { skipped } from "./actions.js";
import { isRunner, type Walk } from "./body-walk.js";
import type { Command } from "./commands.js";
import { append, ended, failure } from "./drafts.js";
import { pathOf } from "./instance-ids.js";
import { stopSteps } from "./stopping.js";

/** By step; a second wish for the same step has nothing to add. */
export function earlyEnds({ details }: RunState): ReadonlyMap<string, PendingAction> {
  const wishes = details.actions?.filter(({ name }) => name === "SKIP_STEP" || name === "TIMEOUT") ?? [];
  return new Map(wishes.reverse().map((action) => [action.stepId!, action]));
}

export function endEarly(walk: Walk, row: StepRow, action: PendingAction): void {
  const stopping = stopWork(walk, row);
  walk.commands.push(...(stopping.length > 0 ? stopping : [append(endOf(row, action))]));
}

function endOf(row: StepRow, action: PendingAction) {
  if (action.name === "SKIP_STEP") return skipped(row.stepId, row, action);
  const event = ended(row, "StepFailed", failure("TIMEOUT", "It took longer than it may."));
  return { ...event, causedBySignalId: action.signalId };
}

/** Everything in the step that runs; the step itself where it does work or has a child, whose end is then its own. */
function stopWork({ stepAt, state }: Walk, { stepId }: StepRow): readonly Command[] {
  const { kind } = stepAt.get(pathOf(stepId))!;
  const isWork = isRunner(kind) || kind === "child";
  const running = state.steps.rows().filter(({ status }) => status === "RUNNING");
  const concerned = running.filter((row) => row.stepId.startsWith(`${stepId}/`) || (isWork && row.stepId === stepId));
  return stopSteps(stepAt, concerned);
}
