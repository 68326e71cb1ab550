import { runStatuses } from "@runledger/contracts";
import { z } from "zod";
import { runError } from "./run.js";
import { identifier, instant, pageOf, seq, wholeNumber } from "./values.js";

/** `RunSummary` of the contracts. */
export const runSummary = z
  .object({
    runId: identifier,
    status: z.enum(runStatuses),
    lastEventSeq: seq,
    tenantId: z.string(),
    createdAt: instant,
    startedAt: instant.optional(),
    completedAt: instant.optional(),
    totalDurationMs: z.number().optional(),
    planId: z.string().optional(),
    planVersion: z.string().optional(),
    projectId: z.string().optional(),
    environmentId: z.string().optional(),
    runRequestId: z.string().optional(),
    priority: z.int().optional(),
    labels: z.record(z.string(), z.string()).optional(),
    parent: z.object({ runId: z.string(), stepId: z.string() }).optional(),
    schedule: z.object({ scheduleId: z.string(), tick: z.string() }).optional(),
    startedBy: z.string().optional().meta({ description: "Who started it; absent = nobody has said" }),
    culprit: z.string().optional().meta({ description: "The step because of which the run failed" }),
    error: runError.optional(),
    waitsFor: z
      .string()
      .optional()
      .meta({
        description:
          "`approval`: it begins when somebody approves. `signal <name>`, `timer`, several with commas: what steps of a " +
          "run that has begun wait for; others may be at work",
      }),
    stale: z.boolean().optional().meta({ description: "True = the log holds more than this shows" }),
  })
  .meta({ id: "RunSummary", description: "A run as a list shows it" });

export const runPage = pageOf("RunPage", runSummary);

export const listSnapshot = z.object({ runs: z.array(runSummary) }).meta({ id: "RunListSnapshot" });

export const listChange = z
  .object({ runs: z.array(runSummary), gone: z.array(z.string()) })
  .meta({ id: "RunListChange", description: "Runs that are new or have changed, and ids of those that left the list" });

export const runCounts = z
  .object(Object.fromEntries(runStatuses.map((status) => [status, z.int()])))
  .meta({ id: "RunCounts" });

export const histogram = z
  .object({ bars: z.array(z.object({ at: instant, counts: runCounts })) })
  .meta({ id: "RunHistogram", description: "Runs by when they were created and the status that they have now" });

const time = z.iso.datetime({ offset: true, error: "must be a time, as in 2026-11-14T08:00:00Z." });

/** What can be counted without looking at runs. */
export const countQuery = {
  workflow: identifier.optional(),
  project: identifier.optional(),
  environment: identifier.optional(),
};

const statuses = z
  .string()
  .transform((text) => text.split(","))
  .pipe(z.array(z.enum(runStatuses)).min(1).max(runStatuses.length));
const labels = z
  .string()
  .max(2000)
  .transform((text) => text.split(","))
  .pipe(z.array(z.string().regex(/^[^:]+:.+$/, "must be name:value pairs, separated by commas.")).max(20));

/** Which runs: everything that is given must hold. */
const filterQuery = {
  ...countQuery,
  status: statuses.optional().meta({ description: "Any of these" }),
  version: identifier.optional(),
  labels: labels.optional().meta({ description: "All of these, as in team:data,env:prod" }),
  createdFrom: time.optional(),
  createdTo: time.optional().meta({ description: "Created before" }),
  error: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .meta({ description: "Occurs in the failing step, the error's code or message" }),
  parent: identifier.optional().meta({ description: "Children of this run" }),
  schedule: identifier.optional(),
};

export const listQuery = z.strictObject({
  ...filterQuery,
  after: z.string().min(1).max(500).optional().meta({ description: "The `next` of the page before" }),
  limit: wholeNumber(1, 200).optional().meta({ description: "Default 50" }),
});

export const histogramQuery = z.strictObject({
  ...countQuery,
  from: time,
  to: time,
  bucket: z.enum(["minute", "hour", "day"]),
});

export const streamQuery = z.strictObject(filterQuery);

/** The same words in a body, where lists are lists. */
export const bulkFilter = z
  .strictObject({
    ...filterQuery,
    status: z.array(z.enum(runStatuses)).min(1).max(runStatuses.length).optional(),
    labels: z
      .array(
        z
          .string()
          .max(511)
          .regex(/^[^:]+:.+$/, "must be name:value pairs."),
      )
      .max(20)
      .optional(),
  })
  .meta({ id: "RunFilter" });
