/** Workflows: what is published, and how their runs went. */
import { runStatuses } from "@runledger/contracts";
import { z } from "zod";
import { runPlan } from "./plan.js";
import { runCounts, runSummary } from "./run-list.js";
import { stepStatuses } from "./step.js";
import { identifier, instant, pageOf, wholeNumber } from "./values.js";

export const byWorkflow = z.object({ workflowId: identifier });

const workflowSummary = z
  .object({
    workflowId: z.string(),
    version: z.string().meta({ description: "The one that was published last" }),
    publishedAt: instant,
    versionCount: z.int(),
    counts: runCounts.meta({ description: "The tenant's runs by status, of all versions" }),
    lastRun: runSummary.nullable().meta({ description: "The newest one; null = there is none" }),
  })
  .meta({ id: "WorkflowSummary" });

export const workflowPage = pageOf("WorkflowPage", workflowSummary);

const column = z
  .object({
    runId: z.string(),
    version: z.string(),
    status: z.enum(runStatuses),
    createdAt: instant,
    durationMs: z.number().nullable().meta({ description: "Null = it has not ended" }),
    stepStatuses: z
      .array(z.enum(stepStatuses).nullable())
      .meta({ description: "In the order of `steps`; null = it had no such step" }),
    stepDurationsMs: z.array(z.number().nullable()).meta({ description: "In the order of `steps`" }),
  })
  .meta({ id: "WorkflowHistoryColumn", description: "A run as a column of the grid" });

const history = z
  .object({
    steps: z
      .array(z.string())
      .meta({ description: "The first 200 steps outside of containers, of all versions shown" }),
    runs: z.array(column).meta({ description: "Newest first, at most 50" }),
    p50Ms: z.number().nullable().meta({ description: "Of the completed ones among them; null = there is none" }),
    p95Ms: z.number().nullable(),
  })
  .meta({ id: "WorkflowHistory", description: "The last runs by steps, and how long they took" });

export const workflowDetail = z
  .object({
    workflowId: z.string(),
    publishedAt: instant,
    versionCount: z.int(),
    plan: runPlan.meta({ description: "Of the version that was published last" }),
    counts: runCounts,
    history,
  })
  .meta({ id: "WorkflowDetail" });

const workflowVersion = z
  .object({ version: z.string(), hash: z.string(), publishedAt: instant, plan: runPlan })
  .meta({ id: "WorkflowVersion" });

export const versionPage = pageOf("WorkflowVersionPage", workflowVersion);

export const workflowQuery = z.strictObject({
  after: identifier.optional().meta({ description: "The `next` of the page before" }),
  limit: wholeNumber(1, 100).optional().meta({ description: "Default 50" }),
});

export const versionQuery = z.strictObject({
  after: identifier.optional().meta({ description: "The `next` of the page before" }),
  limit: wholeNumber(1, 50).optional().meta({ description: "Default 10" }),
});
