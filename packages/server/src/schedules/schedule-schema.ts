import { z } from "zod";
import { catchUpPolicies, overlapPolicies, type Schedule } from "@runledger/contracts";
import { identifier, instant } from "../http/schemas.js";

export const bySchedule = z.object({ scheduleId: identifier });

export const duration = z
  .string()
  .max(50)
  .meta({ examples: ["15m"] });

/** Timing of a schedule: one of `cron`, `every` and `at`. */
export const timingFields = {
  cron: z
    .string()
    .max(200)
    .optional()
    .meta({ description: "Cron expression with five fields, or six with seconds first.", examples: ["0 2 * * *"] }),
  timeZone: z
    .string()
    .max(100)
    .optional()
    .meta({ description: "Time zone of `cron`. Defaults to UTC.", examples: ["Europe/Berlin"] }),
  every: duration.optional().meta({ description: "Fixed interval of at least one second." }),
  from: instant.max(50).optional().meta({ description: "First time of `every`." }),
  at: instant.max(50).optional().meta({ description: "Time of a single run." }),
};

export const times = z
  .object({ times: z.array(instant), timeZone: z.string() })
  .meta({ id: "ScheduleTimes", description: "The next times of a schedule, ascending." });

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
      .meta({ id: "ScheduleTiming", description: "Either `cron` and `timeZone`, `everyMs` and `from`, or `at`." }),
    input: z.unknown().optional(),
    projectId: z.string(),
    environmentId: z.string(),
    priority: z.int(),
    concurrencyKey: z.string().optional(),
    labels: z.record(z.string(), z.string()).optional(),
    catchUp: z.enum(catchUpPolicies),
    catchUpLimit: z.int(),
    overlap: z.enum(overlapPolicies),
    jitterMs: z.number().meta({ description: "Maximum delay of each time." }),
    pausedAt: instant.nullable().meta({ description: "`null` if the schedule is not paused." }),
    nextTick: instant
      .nullable()
      .meta({ description: "Next time that gets a run. `null` if there are no further times." }),
    dueAt: instant.nullable().meta({
      description: "Time at which a scheduler handles it next: `nextTick` plus the jitter, or later. `null` if never.",
    }),
    waiting: z.boolean().meta({ description: "`true` if `nextTick` has passed and waits for an open run to finish." }),
    last: z
      .object({
        tick: instant,
        outcome: z.enum(["started", "skipped", "missed"]),
        runId: z
          .string()
          .optional()
          .meta({ description: "The run that was started, or the open run that prevented the start." }),
      })
      .nullable()
      .meta({ description: "Outcome of the last time. `null` before the first one." }),
  })
  .meta({ id: "Schedule", description: "A schedule of a workflow." });

export function toScheduleBody({ scheduleId, definition, pausedAt, nextTick, dueAt, waiting, last }: Schedule) {
  const { plan, state: _, ...fields } = definition;
  const { planId: workflow, planVersion: version } = plan;
  return { scheduleId, workflow, version, ...fields, pausedAt, nextTick, dueAt, waiting, last };
}
