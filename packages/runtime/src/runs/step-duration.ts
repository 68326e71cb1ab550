import type { StepRow } from "@runledger/contracts";

/** `null` if the step has not started or not finished. */
export function durationOf(step: Pick<StepRow, "startedAt" | "completedAt"> | undefined): number | null {
  if (step?.startedAt === undefined || step.completedAt === undefined) return null;
  return Math.max(0, Date.parse(step.completedAt) - Date.parse(step.startedAt));
}
