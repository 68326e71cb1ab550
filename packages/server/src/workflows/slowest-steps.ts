/** The slowest inner steps of a workflow's last runs, such as the nodes of a dbt project (D11). */
import { z } from "zod";
import type { FullStateStore, RunSummary } from "@runledger/contracts";
import { needsOf } from "@runledger/runtime/runs/runnable";
import { durationOf } from "@runledger/runtime/runs/step-duration";
import { versionsOf } from "../catalog/published-versions.js";
import { ok, route } from "../http/define-route.js";
import { limitParam } from "../http/schemas.js";
import { byWorkflow } from "./get-workflow.js";
import { percentile } from "./history.js";

/** The steps of a run that are read: the first ones in the order of its log. */
const MAX_STEPS = 1000;

const slowStep = z
  .object({
    stepId: z.string(),
    kind: z.string().meta({ description: "Kind of the inner step, such as `model` or `test`." }),
    runs: z.int().meta({ description: "Number of the runs in which the step finished." }),
    p50Ms: z.number().meta({ description: "Median duration." }),
    maxMs: z.number(),
    lastMs: z.number().meta({ description: "Duration in the newest run in which the step finished." }),
    slowestRunId: z.string().meta({ description: "Run in which the step took longest." }),
  })
  .meta({ id: "SlowStep", description: "The durations of an inner step in several runs." });

const slowSteps = z
  .object({
    runs: z.int().meta({ description: "Number of runs that were read." }),
    steps: z.array(slowStep).meta({ description: "The slowest inner steps by median duration, slowest first." }),
  })
  .meta({ id: "SlowSteps", description: "The slowest inner steps of a workflow's last runs." });

export const listSlowestSteps = route({
  method: "GET",
  path: "/workflows/{workflowId}/slowest-steps",
  operationId: "listSlowestSteps",
  tag: "workflows",
  summary: "List the slowest inner steps of a workflow",
  description:
    "Compares the steps that runners have recorded inside their steps, such as the nodes of a dbt project, over the last runs. " +
    "Reads at most the first 1,000 steps of each run. Empty for a workflow without such steps.",
  role: "viewer",
  isLargeRead: true,
  params: byWorkflow,
  query: z.strictObject({
    runs: limitParam(30, 10).meta({ description: "Number of runs to compare. Defaults to 10." }),
    limit: limitParam(100, 10),
  }),
  responses: { 200: { description: "The slowest inner steps", schema: slowSteps } },
  problems: ["WORKFLOW_NOT_FOUND"],
  handle: async ({ params: { workflowId }, query: { runs: count = 10, limit = 10 }, caller, api }) => {
    const { store } = api.ledger;
    await versionsOf(store, workflowId, caller); // throws if the caller may not see the workflow
    const { runs } = await store.index.listRuns({ tenantId: caller.tenantId, planId: workflowId, limit: count });
    const withInner = await runsWithRunners(store, runs);
    const steps = await slowestOf(store, withInner);
    return ok({ runs: withInner.length, steps: steps.slice(0, limit) });
  },
});

/** Only a custom runner records inner steps. Runs of other plans are not read. */
async function runsWithRunners(store: FullStateStore, runs: readonly RunSummary[]): Promise<readonly RunSummary[]> {
  const versions = new Map(runs.map(({ planId = "", planVersion = "" }) => [planVersion, { planId, planVersion }]));
  const plans = await Promise.all([...versions.values()].map((ref) => store.plans.loadPlan(ref)));
  const known = plans.flatMap((plan) => (plan !== null && needsOf(plan).kinds.length > 0 ? [plan.planVersion] : []));
  const names = new Set(known);
  return runs.filter(({ planVersion = "" }) => names.has(planVersion));
}

interface Times {
  readonly kind: string;
  /** Newest first. */
  readonly of: { readonly runId: string; readonly ms: number }[];
}

/** Reads one run at a time, so that the memory of a call stays small. */
async function slowestOf(store: FullStateStore, runs: readonly RunSummary[]) {
  const times = new Map<string, Times>();
  for (const { runId } of runs) {
    for (const row of await store.snapshots.listSteps({ runId, limit: MAX_STEPS })) {
      const [kind, ms] = [row.opened?.inner?.kind, durationOf(row)];
      if (kind === undefined || ms === null || row.status === "SKIPPED") continue;
      const known = times.get(row.stepId) ?? { kind, of: [] };
      known.of.push({ runId, ms });
      times.set(row.stepId, known);
    }
  }
  return [...times].map(summary).toSorted((one, other) => other.p50Ms - one.p50Ms);
}

function summary([stepId, { kind, of }]: readonly [string, Times]) {
  const slowest = of.reduce((one, other) => (other.ms > one.ms ? other : one));
  const p50Ms = percentile(
    of.map(({ ms }) => ms),
    0.5,
  )!;
  return { stepId, kind, runs: of.length, p50Ms, maxMs: slowest.ms, lastMs: of[0]!.ms, slowestRunId: slowest.runId };
}
