import { catchUpPolicies, overlapPolicies } from "@runledger/contracts";
import { z } from "zod";
import { identifier, instant, pageOf, wholeNumber } from "./values.js";

export const bySchedule = z.object({ scheduleId: identifier });

const duration = z
  .string()
  .max(50)
  .meta({ examples: ["15m"] });

/** When: one of `cron`, `every` and `at`. */
const timing = {
  cron: z
    .string()
    .max(200)
    .optional()
    .meta({ description: "Five fields; six with seconds in front", examples: ["0 2 * * *"] }),
  timeZone: z
    .string()
    .max(100)
    .optional()
    .meta({ description: "Of `cron`. Default UTC", examples: ["Europe/Berlin"] }),
  every: duration.optional().meta({ description: "A fixed distance, at least a second" }),
  from: instant.max(50).optional().meta({ description: "The first time of `every`" }),
  at: instant.max(50).optional().meta({ description: "Once" }),
};

export const scheduleRequest = z
  .strictObject({
    workflow: identifier.meta({ description: "The workflow's id" }),
    version: identifier.optional().meta({ description: "Default: the one that was published last" }),
    input: z.unknown().optional(),
    ...timing,
    projectId: identifier.optional(),
    environmentId: identifier.optional(),
    priority: z.int().min(-1000).max(1000).optional(),
    concurrencyKey: identifier.optional(),
    labels: z.record(identifier, z.string().max(255)).optional(),
    catchUp: z.enum(catchUpPolicies).optional().meta({ description: "Times that passed while no scheduler was there" }),
    catchUpLimit: z.int().min(1).max(1000).optional().meta({ description: "Default 100" }),
    overlap: z.enum(overlapPolicies).optional().meta({ description: "While a run is still open. Default skip" }),
    jitter: duration.optional().meta({ description: "Fires up to this much later, always by the same amount" }),
  })
  .meta({ id: "ScheduleRequest" });

export const timesRequest = z
  .strictObject({ ...timing, count: z.int().min(1).max(100).optional().meta({ description: "Default 5" }) })
  .meta({ id: "TimesRequest" });

export const times = z
  .object({ times: z.array(instant), timeZone: z.string() })
  .meta({ id: "ScheduleTimes", description: "When it fires next, ascending" });

export const backfillRequest = z
  .strictObject({
    from: instant.max(50).meta({ description: "The first time of the range" }),
    to: instant.max(50).optional().meta({ description: "Its end, which is not part of it. Default: now" }),
    dryRun: z.boolean().optional().meta({ description: "True = says which times have no run, and starts nothing" }),
  })
  .meta({ id: "BackfillRequest" });

export const backfillOutcome = z
  .object({
    dryRun: z.boolean(),
    items: z.array(
      z
        .object({
          tick: instant,
          runId: z.string().nullable().meta({ description: "Null = it has none yet, and would get one" }),
          started: z.boolean().meta({ description: "This call has started it" }),
        })
        .meta({ id: "BackfillTick" }),
    ),
  })
  .meta({ id: "BackfillOutcome", description: "The times of the range, and their runs" });

export const schedule = z
  .object({
    scheduleId: z.string(),
    workflow: z.string(),
    version: z.string(),
    timing: z
      .object({
        cron: z.string().optional(),
        timeZone: z.string().optional(),
        everyMs: z.number().optional(),
        from: instant.optional(),
        at: instant.optional(),
      })
      .meta({ id: "ScheduleTiming", description: "`cron` and `timeZone`, `everyMs` and `from`, or `at`" }),
    input: z.unknown().optional(),
    projectId: z.string(),
    environmentId: z.string(),
    priority: z.int(),
    concurrencyKey: z.string().optional(),
    labels: z.record(z.string(), z.string()).optional(),
    catchUp: z.enum(catchUpPolicies),
    catchUpLimit: z.int(),
    overlap: z.enum(overlapPolicies),
    jitterMs: z.number(),
    pausedAt: instant.nullable().meta({ description: "Null = it is not paused" }),
    nextTick: instant.nullable().meta({ description: "The time it is about next; null = there is none any more" }),
    dueAt: instant.nullable().meta({ description: "When a scheduler looks at it next; null = never" }),
    waiting: z.boolean().meta({ description: "True = its time has come and waits for an open run to end" }),
    last: z
      .object({
        tick: instant,
        outcome: z.enum(["started", "skipped", "missed"]),
        runId: z.string().optional().meta({ description: "The run that was started, or was in the way" }),
      })
      .nullable()
      .meta({ description: "What became of the last time" }),
  })
  .meta({ id: "Schedule" });

export const schedulePage = pageOf("SchedulePage", schedule);

export const scheduleQuery = z.strictObject({
  workflow: identifier.optional().meta({ description: "Only those of this workflow; pages may then be short" }),
  after: identifier.optional().meta({ description: "The `next` of the page before" }),
  limit: wholeNumber(1, 200).optional().meta({ description: "Default 100" }),
});
