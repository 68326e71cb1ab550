/** Running steps that must end early: skipped by an operator, or timed out. Work inside them is stopped first. */
import type { PendingAction, StepRow } from "@runledger/contracts";
import type { RunState } from "../fold/run-state.js";
import { skipped } from "./actions.js";
import { isRunner, type Walk } from "./body-walk.js";
import type { Command } from "./commands.js";
import { append, ended, failure, timeoutMessage } from "./drafts.js";
import { pathOf } from "./instance-ids.js";
import { stopSteps } from "./stopping.js";

/** Maps steps to the action that ends them. The oldest action of a step applies. */
export function earlyEnds({ details }: RunState): ReadonlyMap<string, PendingAction> {
  const wishes = details.actions?.filter(({ name }) => name === "SKIP_STEP" || name === "TIMEOUT") ?? [];
  return new Map(wishes.reverse().map((action) => [action.stepId!, action]));
}

export function endEarly(walk: Walk, row: StepRow, action: PendingAction): void {
  const stopping = stopWork(walk, row);
  walk.commands.push(...(stopping.length > 0 ? stopping : [append(endOf(walk, row, action))]));
}

function endOf({ stepAt }: Walk, row: StepRow, action: PendingAction) {
  if (action.name === "SKIP_STEP") return skipped(row.stepId, row, action);
  const { timeoutMs } = stepAt.get(pathOf(row.stepId))!;
  const event = ended(row, "StepFailed", failure("TIMEOUT", timeoutMessage(timeoutMs!)));
  return { ...event, causedBySignalId: action.signalId };
}

/**
 * Stops every running step inside. Stops the step itself if it does work or has a child; it then ends with that result.
 */
function stopWork({ stepAt, state }: Walk, { stepId }: StepRow): readonly Command[] {
  const { kind } = stepAt.get(pathOf(stepId))!;
  const isWork = isRunner(kind) || kind === "child";
  const running = state.steps.rows().filter(({ status }) => status === "RUNNING");
  const concerned = running.filter((row) => row.stepId.startsWith(`${stepId}/`) || (isWork && row.stepId === stepId));
  return stopSteps(stepAt, concerned);
}
