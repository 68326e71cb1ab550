import { z } from "zod";
import { runStatuses } from "@runledger/contracts";
import { identifier, instant, seqNumber } from "../http/schemas.js";

export const runError = z
  .object({
    code: z.string(),
    message: z.string(),
    retryable: z.boolean().meta({ description: "`true` if a retry may succeed." }),
  })
  .meta({ id: "RunError", description: "The error of a step or run." });

export const artifactRef = z
  .object({
    uri: z.string(),
    kind: z.string(),
    sha256: z.string().optional(),
    sizeBytes: z.int().optional(),
    expiresAt: instant.optional(),
  })
  .meta({ id: "ArtifactRef", description: "A reference to an artifact." });

export const outputArtifact = artifactRef.optional().meta({
  description:
    "The artifact that holds the output as JSON, if an event cannot. `output` is absent if it has more than 4 MiB, or if the " +
    "artifact cannot be read.",
});

const pendingSignal = z
  .object({ signalId: z.string(), name: z.string() })
  .meta({ id: "PendingSignal", description: "An accepted signal that the run has not consumed yet." });

/** Schema of `RunHeader`: a run without its steps. */
export const run = z
  .object({
    runId: identifier,
    status: z.enum(runStatuses),
    lastEventSeq: seqNumber.meta({ description: "Highest seq that this state includes." }),
    stale: z
      .boolean()
      .optional()
      .meta({ description: "`true` if the log has events that this state does not include." }),
    artifacts: z.array(artifactRef).meta({
      description:
        "Once the run is completed: its artifacts and those of its first 10,000 steps. `listArtifacts` returns all in the store.",
    }),
    createdAt: instant.optional().meta({ description: "Time of the first event." }),
    startedAt: instant.optional(),
    completedAt: instant.optional(),
    totalDurationMs: z.number().optional().meta({ description: "Absent until the run finishes." }),
    planId: z.string().optional().meta({ description: "Id of the workflow." }),
    planVersion: z.string().optional().meta({ description: "Version of the workflow." }),
    logFormat: z.int().optional().meta({ description: "Format of the run's log. Older workers skip newer formats." }),
    tenantId: z.string().optional(),
    projectId: z.string().optional(),
    environmentId: z.string().optional(),
    runRequestId: z.string().optional().meta({ description: "The `requestId` of the start." }),
    priority: z.int().optional(),
    concurrencyKey: z.string().optional(),
    labels: z.record(z.string(), z.string()).optional(),
    parent: z
      .object({ runId: z.string(), stepId: z.string() })
      .optional()
      .meta({ description: "Run and step that started this run as a child." }),
    schedule: z
      .object({ scheduleId: z.string(), tick: z.string() })
      .optional()
      .meta({ description: "Schedule and scheduled time of the run." }),
    fork: z
      .object({ runId: z.string(), seq: z.int(), from: z.string() })
      .optional()
      .meta({ description: "Origin of a forked run: the run, its seq, and the step at which the fork starts." }),
    startedBy: z
      .string()
      .optional()
      .meta({ description: "Caller that started the run, `schedule …` or `run …`. Absent if unknown." }),
    deadlineAt: instant.optional(),
    engineRunRef: z.unknown().optional().meta({ description: "Id of the run on the executing platform." }),
    error: runError.optional(),
    culprit: z.string().optional().meta({ description: "Step that caused the run to fail." }),
    output: z.unknown().optional().meta({ description: "Output of the workflow. Absent until the run is completed." }),
    outputArtifact,
    state: z.unknown().optional().meta({ description: "User-defined state after all patches so far." }),
    erased: z.object({ at: instant, by: z.string(), reason: z.string() }).optional().meta({
      description:
        "The caller that erased the payloads of the run, the time and the reason. Absent if they are not erased.",
    }),
    leaseEpoch: z.int().optional().meta({ description: "Counts the workers that have owned the run." }),
    failedSteps: z.int().meta({ description: "Number of steps whose current attempt failed." }),
    stepCount: z.int().meta({ description: "Number of steps that the log names so far." }),
    waits: z
      .record(z.string(), z.int())
      .optional()
      .meta({ description: "Number of waiting steps by what they wait for: `signal <name>` or `timer`." }),
    signals: z
      .array(pendingSignal)
      .optional()
      .meta({ description: "Accepted signals that no step has consumed yet. A finished run never consumes them." }),
    recentSignals: z
      .array(instant)
      .optional()
      .meta({ description: "Times of the last 60 signals, by the clock of the store." }),
    recentActions: z.array(instant).optional().meta({ description: "Times of the last 60 actions of operators." }),
    actions: z
      .array(pendingSignal.extend({ stepId: z.string().optional() }))
      .optional()
      .meta({ description: "Accepted actions that the engine has not handled yet." }),
    ordinals: z
      .record(z.string(), z.int())
      .meta({ description: "Number of run-level events by type. The fold continues from them." }),
  })
  .meta({ id: "Run", description: "A run at one seq, without its steps." });
