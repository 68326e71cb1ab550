/** One action on many runs. */
import { z } from "zod";
import { bulkFilter } from "./run-list.js";
import { identifier } from "./values.js";

const bulkActions = ["pause", "resume", "cancel", "retry"] as const;

export const bulkRequest = z
  .strictObject({
    action: z.enum(bulkActions),
    runIds: z.array(identifier).min(1).max(500).optional().meta({ description: "These runs" }),
    filter: bulkFilter
      .optional()
      .meta({ description: "The newest 500 runs that fit, where no ids are given; look at them with `dryRun` first" }),
    dryRun: z.boolean().optional().meta({ description: "True = says what would happen to each, and does nothing" }),
    requestId: identifier.optional().meta({ description: "Makes the call idempotent: one answer per id and run" }),
  })
  .meta({ id: "BulkRequest" });

const bulkItem = z
  .object({
    runId: z.string(),
    accepted: z.boolean(),
    reason: z.string().optional().meta({ description: "Why it was not accepted, or would not be" }),
    code: z.string().optional(),
    runsAgainCount: z.int().optional().meta({ description: "Of a retry that is looked at: steps that run again" }),
    keptCount: z.int().optional(),
  })
  .meta({ id: "BulkItem" });

export const bulkOutcome = z
  .object({
    action: z.enum(bulkActions),
    dryRun: z.boolean(),
    accepted: z.int(),
    refused: z.int(),
    more: z.boolean().meta({ description: "True = more runs fit the filter than were looked at" }),
    items: z.array(bulkItem),
  })
  .meta({ id: "BulkOutcome" });
