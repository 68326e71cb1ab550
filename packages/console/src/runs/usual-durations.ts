import type { RunSummary } from "@runledger/client";
import { useQueries } from "@tanstack/react-query";
import { client } from "../api/client.js";

/** Fewer say nothing about what is usual. */
const ENOUGH = 5;
/** How many are asked for where the list holds too few. */
const ASKED = 20;

/**
 * How long completed runs of these workflows take, by id: the median of those that are listed, or of the last ones where
 * the list has too few of them, as one of failed runs has.
 */
export function useUsualDurations(
  runs: readonly RunSummary[],
  workflows: readonly string[],
): ReadonlyMap<string, number> {
  const listed = mediansOf(runs, ENOUGH);
  const asked = workflows.filter((workflow) => !listed.has(workflow));
  const answers = useQueries({
    queries: asked.map((workflow) => ({
      queryKey: ["usual-duration", workflow],
      queryFn: async () => {
        const { items } = await client.listRuns({ workflow, status: ["COMPLETED"], limit: ASKED });
        return mediansOf(items, 1).get(workflow) ?? null;
      },
      staleTime: 5 * 60_000,
    })),
  });
  const told = asked.flatMap((workflow, index) => {
    const usual = answers[index]?.data;
    return usual === undefined || usual === null ? [] : [[workflow, usual] as const];
  });
  return new Map([...listed, ...told]);
}

function mediansOf(runs: readonly RunSummary[], enough: number): ReadonlyMap<string, number> {
  const known = new Map<string, number[]>();
  for (const { planId, status, totalDurationMs } of runs) {
    if (status !== "COMPLETED" || planId === undefined || totalDurationMs === undefined) continue;
    const all = known.get(planId) ?? [];
    all.push(totalDurationMs);
    known.set(planId, all);
  }
  const told = [...known].filter(([, all]) => all.length >= enough);
  return new Map(told.map(([planId, all]) => [planId, all.sort((a, b) => a - b)[Math.floor(all.length / 2)]!]));
}
