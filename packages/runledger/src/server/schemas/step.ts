import { z } from "zod";
import { event } from "./event.js";
import { artifactRef, runError } from "./run.js";
import { instant, pageOf } from "./values.js";

export const stepStatuses = ["PENDING", "RUNNING", "SUCCESS", "FAILED", "SKIPPED"] as const;

/** `StepRow` of the contracts. */
export const step = z
  .object({
    ordinal: z.int().meta({ description: "Its place in the run: the order in which steps were first named" }),
    stepId: z.string(),
    status: z.enum(stepStatuses),
    logicalAttemptId: z.string(),
    engineAttemptId: z.string().optional(),
    startedAt: instant.optional(),
    completedAt: instant.optional(),
    artifacts: z.array(artifactRef),
    error: runError.optional(),
    retryAt: instant.optional(),
    reason: z.string().optional(),
    culprit: z.string().optional(),
    takeOvers: z.int().optional(),
    opened: z.record(z.string(), z.unknown()).optional().meta({ description: "What a container's closure returned" }),
    waitsFor: z.string().optional().meta({ description: "While it is open: `signal <name>` or `timer`" }),
    again: z.boolean().optional(),
    endedSeq: z.int().optional(),
    budgetFrom: z.int().optional(),
  })
  .meta({ id: "Step", description: "A step of a run as it is known at one seq" });

export const stepPage = pageOf("StepPage", step);

export const stepDetail = z
  .object({
    step,
    events: z.array(event).meta({ description: "What happened in each of its attempts, oldest first, with payloads" }),
  })
  .meta({ id: "StepDetail" });
