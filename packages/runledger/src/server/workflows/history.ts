/** The last runs of a workflow by its steps. However large they were, as much is read as is shown. */
import type { FullStateStore, RunSummary, StepRow } from "@runledger/contracts";

const MOST_RUNS = 50;
const MOST_STEPS = 200;

export async function historyOf(store: FullStateStore, tenantId: string, planId: string) {
  const { runs } = await store.index.listRuns({ tenantId, planId, limit: MOST_RUNS });
  const steps = await stepsOf(store, runs);
  const projections = await store.snapshots.readProjections(runs.map(({ runId }) => ({ runId, stepIds: steps })));
  const columns = runs.map((run, index) => column(run, steps, projections[index]?.steps ?? []));
  const times = runs.flatMap(({ status, totalDurationMs: ms }) =>
    status === "COMPLETED" && ms !== undefined ? [ms] : [],
  );
  return { steps, runs: columns, p50Ms: percentile(times, 0.5), p95Ms: percentile(times, 0.95) };
}

/** Steps outside of containers, of every version that is shown: the newest one's come first. */
async function stepsOf(store: FullStateStore, runs: readonly RunSummary[]): Promise<readonly string[]> {
  const versions = new Map(runs.map(({ planId = "", planVersion = "" }) => [planVersion, { planId, planVersion }]));
  const plans = await Promise.all([...versions.values()].map((ref) => store.plans.loadPlan(ref)));
  const ids = plans.flatMap((plan) => plan?.body.steps.map(({ id }) => id) ?? []);
  return [...new Set(ids)].slice(0, MOST_STEPS);
}

function column(run: RunSummary, steps: readonly string[], rows: readonly StepRow[]) {
  const known = new Map(rows.map((row) => [row.stepId, row]));
  return {
    runId: run.runId,
    version: run.planVersion ?? "",
    status: run.status,
    createdAt: run.createdAt,
    durationMs: run.totalDurationMs ?? null,
    stepStatuses: steps.map((step) => known.get(step)?.status ?? null),
    stepDurationsMs: steps.map((step) => durationOf(known.get(step))),
  };
}

/** Null = it has not begun, or not ended. */
export function durationOf(step: Pick<StepRow, "startedAt" | "completedAt"> | undefined): number | null {
  if (step?.startedAt === undefined || step.completedAt === undefined) return null;
  return Math.max(0, Date.parse(step.completedAt) - Date.parse(step.startedAt));
}

/** The smallest value that at least this share of them does not exceed; null = there are none. */
export function percentile(values: readonly number[], share: number): number | null {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? null;
}
