import { z } from "zod";
import { runStatuses } from "@runledger/contracts";
import { identifier, instant, seqNumber } from "../http/schemas.js";
import { runError } from "./run-schema.js";

/** Schema of `RunSummary`. */
export const runSummary = z
  .object({
    runId: identifier,
    status: z.enum(runStatuses),
    lastEventSeq: seqNumber.meta({ description: "Highest seq that this state includes." }),
    tenantId: z.string(),
    createdAt: instant,
    startedAt: instant.optional(),
    completedAt: instant.optional(),
    totalDurationMs: z.number().optional().meta({ description: "Absent until the run finishes." }),
    planId: z.string().optional().meta({ description: "Id of the workflow." }),
    planVersion: z.string().optional().meta({ description: "Version of the workflow." }),
    logFormat: z.int().optional().meta({ description: "Format of the run's log. Older workers skip newer formats." }),
    projectId: z.string().optional(),
    environmentId: z.string().optional(),
    runRequestId: z.string().optional().meta({ description: "The `requestId` of the start." }),
    priority: z.int().optional(),
    labels: z.record(z.string(), z.string()).optional(),
    parent: z
      .object({ runId: z.string(), stepId: z.string() })
      .optional()
      .meta({ description: "Run and step that started this run as a child." }),
    schedule: z
      .object({ scheduleId: z.string(), tick: z.string() })
      .optional()
      .meta({ description: "Schedule and scheduled time of the run." }),
    startedBy: z
      .string()
      .optional()
      .meta({ description: "Caller that started the run, `schedule …` or `run …`. Absent if unknown." }),
    culprit: z.string().optional().meta({ description: "Step that caused the run to fail." }),
    error: runError.optional(),
    waitsFor: z
      .string()
      .optional()
      .meta({
        description:
          "`approval` if the run starts after an operator approves it. For a started run: what its steps wait for, as " +
          "`signal <name>` or `timer`, separated by commas. Other steps may be running.",
      }),
    stale: z
      .boolean()
      .optional()
      .meta({ description: "`true` if the log has events that this state does not include." }),
  })
  .meta({ id: "RunSummary", description: "A run in a list." });

export const runCounts = z
  .object(Object.fromEntries(runStatuses.map((status) => [status, z.int()])))
  .meta({ id: "RunCounts", description: "Number of runs by status." });
