/** Two runs side by side. */
import { z } from "zod";
import { run } from "./run.js";
import { stepStatuses } from "./step.js";
import { identifier, wholeNumber } from "./values.js";

const side = z
  .object({
    status: z.enum(stepStatuses),
    durationMs: z.number().nullable(),
    attempts: z.string(),
    errorCode: z.string().optional(),
  })
  .meta({ id: "DiffSide" });

const row = z
  .object({
    stepId: z.string(),
    one: side.nullable().meta({ description: "Null = this run has no such step" }),
    other: side.nullable(),
    differs: z
      .array(z.enum(["presence", "status", "error", "attempts"]))
      .meta({ description: "In what they differ; how long they took is no difference" }),
  })
  .meta({ id: "DiffRow" });

export const runDiff = z
  .object({
    one: run,
    other: run,
    sameInput: z.boolean().nullable().meta({ description: "Null = one of them was not started by a ledger" }),
    samePlan: z.boolean(),
    firstDifference: z.string().nullable().meta({ description: "The step where they part; null = nowhere" }),
    differences: z.int().meta({ description: "How many steps differ, of those that were compared" }),
    compared: z.int(),
    complete: z.boolean().meta({ description: "False = a run has more steps than are compared (20,000)" }),
    items: z.array(row),
    next: z
      .string()
      .nullable()
      .meta({ description: "What `after` has to be for the next page; null = this is the last" }),
  })
  .meta({ id: "RunDiff", description: "The steps of two runs, aligned" });

export const diffParams = z.object({ runId: identifier, otherRunId: identifier });

export const diffQuery = z.strictObject({
  after: wholeNumber(0).optional().meta({ description: "The `next` of the page before" }),
  limit: wholeNumber(1, 1000).optional().meta({ description: "Default 500" }),
});
