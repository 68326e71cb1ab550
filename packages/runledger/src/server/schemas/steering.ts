/** Signals and actions (G1). */
import { z } from "zod";
import { identifier } from "./values.js";

export const actionNames = ["approve", "pause", "resume", "cancel", "retry", "skip"] as const;

const signalId = identifier
  .optional()
  .meta({ description: "Makes the call idempotent: one answer per id. Default: an id of its own" });

export const actionRequest = z
  .strictObject({
    stepId: identifier.optional().meta({ description: "The step to retry or to skip" }),
    signalId,
    dryRun: z.boolean().optional().meta({ description: "True = says what would happen, and does nothing" }),
  })
  .meta({ id: "ActionRequest" });

export const actionOutcome = z
  .object({
    runId: identifier,
    action: z.enum(actionNames),
    accepted: z.boolean(),
    dryRun: z.boolean(),
    reason: z.string().optional().meta({ description: "Why it would not be accepted" }),
    signalId: z.string().optional(),
    runsAgain: z.array(z.string()).optional().meta({ description: "Of a retry: the first 1000 steps that run again" }),
    runsAgainCount: z.int().optional(),
    keptCount: z.int().optional().meta({ description: "Of a retry: completed steps that stay as they are" }),
  })
  .meta({ id: "ActionOutcome" });

export const signalRequest = z
  .strictObject({ payload: z.unknown().optional().meta({ description: "Default: null" }), signalId })
  .meta({ id: "SignalRequest" });

export const signalOutcome = z
  .object({ runId: identifier, name: z.string(), signalId: z.string() })
  .meta({ id: "SignalOutcome" });
