/** Computes when a step became ready: when its last dependency finished, or when its container started. */
import type { StepRow } from "@runledger/contracts";
import { instanceId, type RunState } from "@runledger/core";
import type { RowPlace } from "./rows.js";

/** Shorter waits are the normal delay of a start. */
const MIN_WAIT_MS = 5;

/** Returns `null` if the step did not wait or has not started. */
export function readyAt({ stepId, step }: RowPlace, row: StepRow | undefined, state: RunState): number | null {
  if (row?.startedAt === undefined || step === undefined) return null;
  const before = [...Object.values(step.needs), ...step.after].map((path) => state.steps.get(instanceId(path, stepId)));
  const ends = before.flatMap((one) => (one?.completedAt === undefined ? [] : [Date.parse(one.completedAt)]));
  const ready = ends.length > 0 ? Math.max(...ends) : containerStart(stepId, state);
  return ready !== null && Date.parse(row.startedAt) - ready >= MIN_WAIT_MS ? ready : null;
}

function containerStart(stepId: string, { steps, details }: RunState): number | null {
  const names = stepId.split("/");
  const start = names.length < 3 ? details.startedAt : steps.get(names.slice(0, -2).join("/"))?.startedAt;
  return start === undefined ? null : Date.parse(start);
}
