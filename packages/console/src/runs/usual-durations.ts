import type { RunSummary } from "@runledger/client";

/** How long a workflow's completed runs take, by its id: the median of those that are listed. */
export function usualDurations(runs: readonly RunSummary[]): ReadonlyMap<string, number> {
  const known = new Map<string, number[]>();
  for (const { planId, status, totalDurationMs } of runs) {
    if (status !== "COMPLETED" || planId === undefined || totalDurationMs === undefined) continue;
    known.set(planId, [...(known.get(planId) ?? []), totalDurationMs]);
  }
  return new Map([...known].map(([planId, all]) => [planId, all.sort((a, b) => a - b)[Math.floor(all.length / 2)]!]));
}
