import { z } from "zod";
import { problem } from "./problem.js";
import { identifier, instant, seq } from "./values.js";

const runStatuses = ["PENDING", "APPROVED", "RUNNING", "PAUSED", "COMPLETED", "FAILED", "CANCELLED"] as const;

export const runError = z
  .object({ code: z.string(), message: z.string(), retryable: z.boolean() })
  .meta({ id: "RunError" });

export const artifactRef = z
  .object({
    uri: z.string(),
    kind: z.string(),
    sha256: z.string().optional(),
    sizeBytes: z.int().optional(),
    expiresAt: instant.optional(),
  })
  .meta({ id: "ArtifactRef" });

const pendingSignal = z.object({ signalId: z.string(), name: z.string() }).meta({ id: "PendingSignal" });

/** `RunHeader` of the contracts: everything of a run but its steps. */
export const run = z
  .object({
    runId: identifier,
    status: z.enum(runStatuses),
    lastEventSeq: seq.meta({ description: "The highest seq that this shows" }),
    stale: z.boolean().optional().meta({ description: "True = the log holds more than this shows" }),
    artifacts: z.array(artifactRef),
    startedAt: instant.optional(),
    completedAt: instant.optional(),
    totalDurationMs: z.number().optional(),
    planId: z.string().optional(),
    planVersion: z.string().optional(),
    logFormat: z.int().optional(),
    tenantId: z.string().optional(),
    projectId: z.string().optional(),
    environmentId: z.string().optional(),
    runRequestId: z.string().optional(),
    priority: z.int().optional(),
    concurrencyKey: z.string().optional(),
    labels: z.record(z.string(), z.string()).optional(),
    parent: z.object({ runId: z.string(), stepId: z.string() }).optional(),
    schedule: z.object({ scheduleId: z.string(), tick: z.string() }).optional(),
    startedBy: z.string().optional().meta({ description: "Who started it; absent = nobody has said" }),
    deadlineAt: instant.optional(),
    engineRunRef: z.unknown().optional(),
    error: runError.optional(),
    culprit: z.string().optional().meta({ description: "The step because of which the run failed" }),
    output: z.unknown().optional(),
    state: z.unknown().optional().meta({ description: "The user's state after every patch so far" }),
    leaseEpoch: z.int().optional(),
    failedSteps: z.int(),
    stepCount: z.int(),
    waits: z
      .record(z.string(), z.int())
      .optional()
      .meta({ description: "What steps wait for, `signal <name>` or `timer`, and how many of them" }),
    signals: z.array(pendingSignal).optional(),
    recentSignals: z.array(instant).optional(),
    actions: z.array(pendingSignal.extend({ stepId: z.string().optional() })).optional(),
    ordinals: z
      .record(z.string(), z.int())
      .meta({ description: "Run-level events by type: the fold goes on from them" }),
  })
  .meta({ id: "Run", description: "A run as it is known at one seq, without its steps" });

export const startedRun = z
  .object({
    runId: identifier,
    created: z.boolean().meta({ description: "False = the same request had started it before" }),
    workflow: z.string(),
    version: z.string(),
    admission: z
      .enum(["ACCEPT", "QUEUE", "DELAY"])
      .optional()
      .meta({ description: "Of a new run: it may run at once, waits in the queue, or begins later" }),
    startAt: z.string().optional().meta({ description: "Of DELAY: when it begins" }),
  })
  .meta({ id: "StartedRun" });

export const startRequest = z
  .strictObject({
    workflow: identifier.meta({ description: "The workflow's id" }),
    version: identifier.optional().meta({ description: "Default: the one that was published last" }),
    input: z.unknown().optional(),
    requestId: identifier
      .optional()
      .meta({ description: "Makes the start idempotent: the same request gives the same run" }),
    projectId: identifier.optional(),
    environmentId: identifier.optional(),
    priority: z.int().min(-1000).max(1000).optional(),
    concurrencyKey: identifier
      .optional()
      .meta({ description: "Of the tenant's runs that share it one runs at a time, or as many as its limit says" }),
    startAt: z.iso.datetime().optional().meta({ description: "It does not begin before" }),
    dedupe: z
      .literal("workflow")
      .optional()
      .meta({ description: "The request starts one run, whichever version is asked for it" }),
    labels: z.record(identifier, z.string().max(255)).optional(),
  })
  .meta({ id: "StartRequest" });

export const startManyRequest = z
  .strictObject({ starts: z.array(startRequest).min(1).max(100) })
  .meta({ id: "StartManyRequest" });

const startOutcome = z
  .object({ run: startedRun.optional(), problem: problem.optional() })
  .meta({ id: "StartOutcome", description: "The run, or why there is none" });

export const startManyOutcome = z
  .object({ outcomes: z.array(startOutcome).meta({ description: "One for each start, in their order" }) })
  .meta({ id: "StartManyOutcome" });
