import { z } from "zod";
import { type FullStateStore, runStatuses, type RunSummary, type StepRow } from "@runledger/contracts";
import { durationOf } from "@runledger/runtime/runs/step-duration";
import { instant } from "../http/schemas.js";
import { stepStatuses } from "../runs/step-schema.js";

const historyColumn = z
  .object({
    runId: z.string(),
    version: z.string(),
    status: z.enum(runStatuses),
    createdAt: instant,
    durationMs: z.number().nullable().meta({ description: "`null` if the run has not finished." }),
    stepStatuses: z
      .array(z.enum(stepStatuses).nullable())
      .meta({ description: "Statuses in the order of `steps`. `null` if the run does not have the step." }),
    stepDurationsMs: z
      .array(z.number().nullable())
      .meta({ description: "Durations in the order of `steps`. `null` if the step has not finished." }),
  })
  .meta({ id: "WorkflowHistoryColumn", description: "A run as a column of the history." });

export const historySchema = z
  .object({
    steps: z
      .array(z.string())
      .meta({ description: "The first 200 steps outside containers, of all versions in the history." }),
    runs: z.array(historyColumn).meta({ description: "The last runs, newest first, at most 50." }),
    p50Ms: z
      .number()
      .nullable()
      .meta({ description: "Median duration of the completed runs. `null` if there is none." }),
    p95Ms: z.number().nullable().meta({ description: "95th percentile of the durations." }),
  })
  .meta({ id: "WorkflowHistory", description: "The last runs of a workflow by step, and their durations." });

const MAX_RUNS = 50;
const MAX_STEPS = 200;

/** Reads only the steps that the response contains, regardless of the size of the runs. */
export async function historyOf(store: FullStateStore, tenantId: string, planId: string) {
  const { runs } = await store.index.listRuns({ tenantId, planId, limit: MAX_RUNS });
  const steps = await stepsOf(store, runs);
  const projections = await store.snapshots.readProjections(runs.map(({ runId }) => ({ runId, stepIds: steps })));
  const columns = runs.map((run, index) => column(run, steps, projections[index]?.steps ?? []));
  const times = runs.flatMap(({ status, totalDurationMs: ms }) =>
    status === "COMPLETED" && ms !== undefined ? [ms] : [],
  );
  return { steps, runs: columns, p50Ms: percentile(times, 0.5), p95Ms: percentile(times, 0.95) };
}

/** Steps outside containers of all versions in the history, those of the newest version first. */
async function stepsOf(store: FullStateStore, runs: readonly RunSummary[]): Promise<readonly string[]> {
  const versions = new Map(runs.map(({ planId = "", planVersion = "" }) => [planVersion, { planId, planVersion }]));
  const plans = await Promise.all([...versions.values()].map((ref) => store.plans.loadPlan(ref)));
  const ids = plans.flatMap((plan) => plan?.body.steps.map(({ id }) => id) ?? []);
  return [...new Set(ids)].slice(0, MAX_STEPS);
}

function column(run: RunSummary, steps: readonly string[], rows: readonly StepRow[]) {
  const rowById = new Map(rows.map((row) => [row.stepId, row]));
  return {
    runId: run.runId,
    version: run.planVersion ?? "",
    status: run.status,
    createdAt: run.createdAt,
    durationMs: run.totalDurationMs ?? null,
    stepStatuses: steps.map((step) => rowById.get(step)?.status ?? null),
    stepDurationsMs: steps.map((step) => durationOf(rowById.get(step))),
  };
}

/** Nearest-rank percentile. `null` if there are no values. */
export function percentile(values: readonly number[], share: number): number | null {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? null;
}
