import { z } from "zod";
import { compareRuns } from "@runledger/runtime/runs/compare-runs";
import { ok, route } from "../http/define-route.js";
import { afterParam, identifier, integerParam, limitParam, nextCursor } from "../http/schemas.js";
import { findRun } from "./find-run.js";
import { run } from "./run-schema.js";
import { stepStatuses } from "./step-schema.js";

const side = z
  .object({
    status: z.enum(stepStatuses),
    durationMs: z.number().nullable().meta({ description: "`null` if the step has not finished." }),
    attempts: z.string().meta({ description: "Number of the last attempt." }),
    errorCode: z.string().optional(),
  })
  .meta({ id: "DiffSide", description: "A step in one of the two runs." });

const row = z
  .object({
    stepId: z.string(),
    one: side.nullable().meta({ description: "The step in the first run. `null` if that run does not have it." }),
    other: side.nullable().meta({ description: "The step in the second run. `null` if that run does not have it." }),
    differs: z
      .array(z.enum(["presence", "status", "error", "attempts"]))
      .meta({ description: "How the two steps differ. Durations are not compared." }),
  })
  .meta({ id: "DiffRow", description: "A step that at least one of the two runs has." });

const runDiff = z
  .object({
    one: run,
    other: run,
    sameInput: z
      .boolean()
      .nullable()
      .meta({ description: "`null` if a run was not started by a ledger, so that its input is unknown." }),
    samePlan: z.boolean().meta({ description: "`true` if both runs use the same workflow and version." }),
    firstDifference: z.string().nullable().meta({ description: "First step that differs. `null` if no step differs." }),
    differences: z.int().meta({ description: "Number of compared steps that differ." }),
    compared: z.int().meta({ description: "Number of compared steps." }),
    complete: z
      .boolean()
      .meta({ description: "`false` if a run has more than 20,000 steps; further steps are not compared." }),
    items: z.array(row),
    next: nextCursor,
  })
  .meta({ id: "RunDiff", description: "A comparison of two runs, step by step." });

const diffParams = z.object({ runId: identifier, otherRunId: identifier });

const diffQuery = z.strictObject({
  after: integerParam(0).optional().meta(afterParam),
  limit: limitParam(1000, 500),
});

export const diffRuns = route({
  method: "GET",
  path: "/runs/{runId}/diff/{otherRunId}",
  operationId: "diffRuns",
  tag: "runs",
  summary: "Compare two runs",
  description: "Pairs the steps of both runs by id and reports how they differ.",
  role: "viewer",
  isLargeRead: true,
  params: diffParams,
  query: diffQuery,
  responses: { 200: { description: "The comparison with a page of steps", schema: runDiff } },
  problems: ["RUN_NOT_FOUND"],
  handle: async ({ params: { runId, otherRunId }, query: { after = 0, limit = 500 }, store, api }) => {
    const heads = [await findRun(store, runId), await findRun(store, otherRunId)] as const;
    const { rows, ...comparison } = await compareRuns(api.ledger.store, store, heads);
    const end = after + limit;
    return ok({ ...comparison, items: rows.slice(after, end), next: end < rows.length ? String(end) : null });
  },
});
