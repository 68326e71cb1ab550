import { z } from "zod";
import { instant } from "../http/schemas.js";
import { artifactRef, runError } from "./run-schema.js";

export const stepStatuses = ["PENDING", "RUNNING", "SUCCESS", "FAILED", "SKIPPED"] as const;

/** Schema of `StepRow`. */
export const step = z
  .object({
    ordinal: z.int().meta({ description: "Position in the order in which the log first names the steps." }),
    stepId: z.string(),
    status: z.enum(stepStatuses),
    logicalAttemptId: z.string().meta({ description: "Number of the current attempt." }),
    engineAttemptId: z
      .string()
      .optional()
      .meta({ description: "Counts how often the platform ran this attempt: 1, and one more per takeover." }),
    startedAt: instant.optional(),
    completedAt: instant.optional(),
    artifacts: z.array(artifactRef),
    error: runError.optional(),
    retryAt: instant.optional().meta({ description: "Time of the next attempt under the retry policy." }),
    reason: z.string().optional().meta({ description: "Reason why the step was skipped." }),
    culprit: z.string().optional().meta({ description: "Step that caused this step to fail or to be skipped." }),
    takeOvers: z.int().optional().meta({ description: "Number of times a new worker took over this attempt." }),
    opened: z
      .record(z.string(), z.unknown())
      .optional()
      .meta({ description: "Recorded result of a container's closure." }),
    waitsFor: z.string().optional().meta({ description: "Set while the step waits: `signal <name>` or `timer`." }),
    again: z.boolean().optional().meta({ description: "For one pass of a `repeat`: `true` if another pass follows." }),
    kept: z.int().optional().meta({
      description: "In a forked run: seq at which the step finished in the origin. The fork did not run it.",
    }),
    endedSeq: z.int().optional().meta({ description: "Seq at which the attempt finished." }),
    budgetFrom: z
      .int()
      .optional()
      .meta({ description: "First attempt after an operator's reset. The retry budget counts from it." }),
  })
  .meta({ id: "Step", description: "A step of a run at one seq." });
