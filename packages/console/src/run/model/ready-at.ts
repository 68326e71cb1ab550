/** When a step could have begun: when the last of those before it had ended, or what it is in had begun. */
import type { StepRow } from "@runledger/contracts";
import { instanceId, type RunState } from "@runledger/core";
import type { RowPlace } from "./rows.js";

/** Less than this is how long it takes to begin. */
const WORTH_SAYING_MS = 5;

/** Null = it did not wait, or has not begun. */
export function readyAt({ stepId, step }: RowPlace, row: StepRow | undefined, state: RunState): number | null {
  if (row?.startedAt === undefined || step === undefined) return null;
  const before = [...Object.values(step.needs), ...step.after].map((path) => state.steps.get(instanceId(path, stepId)));
  const ends = before.flatMap((one) => (one?.completedAt === undefined ? [] : [Date.parse(one.completedAt)]));
  const ready = ends.length > 0 ? Math.max(...ends) : beginOfContainer(stepId, state);
  return ready !== null && Date.parse(row.startedAt) - ready >= WORTH_SAYING_MS ? ready : null;
}

function beginOfContainer(stepId: string, { steps, details }: RunState): number | null {
  const names = stepId.split("/");
  const begin = names.length < 3 ? details.startedAt : steps.get(names.slice(0, -2).join("/"))?.startedAt;
  return begin === undefined ? null : Date.parse(begin);
}
