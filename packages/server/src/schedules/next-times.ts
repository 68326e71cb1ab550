import { z } from "zod";
import { omitUndefined } from "@runledger/contracts";
import { ok, route } from "../http/define-route.js";
import { integerParam } from "../http/schemas.js";
import { bySchedule, times } from "./schedule-schema.js";

export const nextTimes = route({
  method: "GET",
  path: "/schedules/{scheduleId}/next",
  operationId: "nextTimes",
  tag: "schedules",
  summary: "List the next times of a schedule",
  description: "Ignores whether the schedule is paused.",
  role: "viewer",
  params: bySchedule,
  query: z.strictObject({
    count: integerParam(1, 100).optional().meta({ description: "Number of times. Defaults to 5." }),
  }),
  responses: { 200: { description: "The next times", schema: times } },
  problems: ["SCHEDULE_NOT_FOUND", "SCHEDULE_NEVER_FIRES"],
  handle: async ({ params: { scheduleId }, query, caller: { tenantId }, api }) => {
    const { schedules } = api.ledger;
    const found = await schedules.next(scheduleId, { tenantId, ...omitUndefined(query) });
    const timing = (await schedules.get(scheduleId, { tenantId }))?.definition.timing;
    return ok({ times: found, timeZone: timing !== undefined && "cron" in timing ? timing.timeZone : "UTC" });
  },
});
