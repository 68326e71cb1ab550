import { z } from "zod";
import { omitUndefined } from "@runledger/contracts";
import { ok, route } from "../http/define-route.js";
import { instant } from "../http/schemas.js";
import { bySchedule } from "./schedule-schema.js";

const backfillRequest = z
  .strictObject({
    from: instant.max(50).meta({ description: "Start of the range." }),
    to: instant.max(50).optional().meta({ description: "End of the range, exclusive. Defaults to now." }),
    dryRun: z.boolean().optional().meta({ description: "`true` to list the times without starting runs." }),
  })
  .meta({ id: "BackfillRequest", description: "A range of scheduled times." });

const backfillOutcome = z
  .object({
    dryRun: z.boolean(),
    items: z.array(
      z
        .object({
          tick: instant.meta({ description: "The scheduled time." }),
          runId: z
            .string()
            .nullable()
            .meta({ description: "Run of this time. `null` in a dry run if the time has no run yet." }),
          started: z.boolean().meta({ description: "`true` if this call started the run." }),
        })
        .meta({ id: "BackfillTick", description: "A scheduled time and its run." }),
    ),
  })
  .meta({ id: "BackfillOutcome", description: "The times of the range and their runs." });

export const backfillSchedule = route({
  method: "POST",
  path: "/schedules/{scheduleId}/backfill",
  operationId: "backfillSchedule",
  tag: "schedules",
  summary: "Backfill a schedule",
  description:
    "Starts a run for each time of the range that has none, up to 1,000 times. The call is safe to repeat, because a time " +
    "has at most one run. With `dryRun`, it starts nothing and returns what it would start.",
  role: "operator",
  audited: true,
  params: bySchedule,
  body: backfillRequest,
  responses: { 200: { description: "The times of the range, oldest first", schema: backfillOutcome } },
  problems: ["SCHEDULE_NOT_FOUND", "SCHEDULE_INVALID", "OPTION_INVALID", "QUEUE_FULL"],
  handle: async ({ params: { scheduleId }, body: { from, to, dryRun = false }, caller, api, quota }) => {
    quota.countStarts(1);
    const range = { from, ...omitUndefined({ to }), dryRun, tenantId: caller.tenantId, by: caller.name };
    const items = await api.ledger.schedules.backfill(scheduleId, range);
    quota.spend("starts", items.filter(({ started }) => started).length);
    return ok({ dryRun, items });
  },
});
