import { z } from "zod";
import { backfillScopes, omitUndefined } from "@runledger/contracts";
import { ok, route } from "../http/define-route.js";
import { byWorkflow } from "../workflows/get-workflow.js";
import { partitionKey, partitionPlace, partitionState } from "./partition-schema.js";

const MAX_STARTS = 1000;

const backfillRequest = z
  .strictObject({
    from: partitionKey.optional().meta({ description: "First partition. Defaults to the first one of the workflow." }),
    to: partitionKey.optional().meta({ description: "Last partition. Defaults to the last complete one." }),
    keys: z
      .array(partitionKey)
      .min(1)
      .max(MAX_STARTS)
      .optional()
      .meta({ description: "These partitions instead of a range." }),
    only: z.enum(backfillScopes).optional().meta({
      description:
        "`missing`: partitions without a run. `failed`: those whose newest run failed or was cancelled. `both` is the default.",
    }),
    force: z.boolean().optional().meta({
      description: "`true` to also start partitions that succeeded, or whose runs retention has deleted.",
    }),
    limit: z
      .int()
      .min(1)
      .max(MAX_STARTS)
      .optional()
      .meta({ description: "Maximum number of partitions to start. Defaults to 100." }),
    concurrency: z.int().min(1).max(MAX_STARTS).optional().meta({
      description:
        "Maximum number of runs of this workflow's backfills that are open at once. Defaults to what the last call set, or 1.",
    }),
    input: z.unknown().optional().meta({ description: "Input of the runs. It must match the workflow's schema." }),
    priority: z.int().min(-1000).max(1000).optional().meta({ description: "Priority of the runs. Defaults to 0." }),
    dryRun: z.boolean().optional().meta({ description: "`true` to list the partitions without starting runs." }),
    ...partitionPlace,
  })
  .meta({ id: "PartitionBackfillRequest", description: "The partitions to start." });

const backfilled = z
  .object({
    key: z.string(),
    state: partitionState.meta({ description: "State before the call." }),
    runId: z
      .string()
      .nullable()
      .meta({ description: "Run that the call started or found. `null` in a dry run if it would start one." }),
    started: z.boolean().meta({ description: "`true` if this call started the run." }),
  })
  .meta({ id: "BackfilledPartition", description: "A partition that a backfill selected." });

const backfillOutcome = z
  .object({
    dryRun: z.boolean(),
    items: z.array(backfilled).meta({ description: "Selected partitions in order." }),
    remaining: z
      .int()
      .meta({ description: "Number of selected partitions that were left out. Repeat the call to start them." }),
    queueFull: z.boolean().meta({ description: "`true` if a limit on queued runs stopped the call. Repeat it later." }),
    concurrencyKey: z.string().meta({ description: "Concurrency key of the runs." }),
  })
  .meta({ id: "PartitionBackfillOutcome", description: "Partitions of a backfill and their runs." });

export const backfillPartitions = route({
  method: "POST",
  path: "/workflows/{workflowId}/backfill",
  operationId: "backfillPartitions",
  tag: "workflows",
  summary: "Backfill the partitions of a workflow",
  description:
    "Starts a run for each selected partition that has none, or whose newest run failed. The call is safe to repeat, and " +
    "calls at the same time start a partition once. With `dryRun`, it starts nothing and returns what it would start.",
  role: "operator",
  audited: true,
  params: byWorkflow,
  body: backfillRequest,
  maxBodyBytes: 512 * 1024,
  responses: { 200: { description: "The partitions and their runs", schema: backfillOutcome } },
  problems: ["WORKFLOW_NOT_FOUND", "OPTION_INVALID", "SCHEMA_MISMATCH", "PAYLOAD_TOO_LARGE"],
  handle: async ({ params: { workflowId }, body, caller, api, quota }) => {
    quota.countStarts(1);
    const { tenantId, name: by } = caller;
    const outcome = await api.ledger.partitions.backfill(workflowId, { ...omitUndefined(body), tenantId, by });
    quota.spend("starts", outcome.items.filter(({ started }) => started).length);
    return ok(outcome);
  },
});
