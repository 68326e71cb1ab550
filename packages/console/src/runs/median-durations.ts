import type { RunSummary } from "@runledger/client";
import { useQueries } from "@tanstack/react-query";
import { client } from "../api/client.js";

/** The list needs this many completed runs of a workflow for a median. */
const ENOUGH = 5;
/** How many runs to load if the list has too few. */
const LOADED = 20;

/**
 * Returns the median duration of completed runs by workflow id. It uses the listed runs. If the list has too few completed
 * runs of a workflow, for example because it is filtered by failed ones, it loads the latest completed runs.
 */
export function useMedianDurations(
  runs: readonly RunSummary[],
  workflows: readonly string[],
): ReadonlyMap<string, number> {
  const listed = mediansOf(runs, ENOUGH);
  const missing = workflows.filter((workflow) => !listed.has(workflow));
  const results = useQueries({
    queries: missing.map((workflow) => ({
      queryKey: ["median-duration", workflow],
      queryFn: async () => {
        const { items } = await client.listRuns({ workflow, status: ["COMPLETED"], limit: LOADED });
        return mediansOf(items, 1).get(workflow) ?? null;
      },
      staleTime: 5 * 60_000,
    })),
  });
  const loaded = missing.flatMap((workflow, index) => {
    const medianMs = results[index]?.data;
    return medianMs === undefined || medianMs === null ? [] : [[workflow, medianMs] as const];
  });
  return new Map([...listed, ...loaded]);
}

function mediansOf(runs: readonly RunSummary[], enough: number): ReadonlyMap<string, number> {
  const known = new Map<string, number[]>();
  for (const { planId, status, totalDurationMs } of runs) {
    if (status !== "COMPLETED" || planId === undefined || totalDurationMs === undefined) continue;
    const all = known.get(planId) ?? [];
    all.push(totalDurationMs);
    known.set(planId, all);
  }
  const enoughRuns = [...known].filter(([, all]) => all.length >= enough);
  return new Map(enoughRuns.map(([planId, all]) => [planId, all.sort((a, b) => a - b)[Math.floor(all.length / 2)]!]));
}
