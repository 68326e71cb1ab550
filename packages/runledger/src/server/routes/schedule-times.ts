import { z } from "zod";
import type { TimingOptions } from "../../scheduler/read-timing.js";
import { present } from "../../workflow/present.js";
import { ok, route } from "../http/define-route.js";
import { backfillOutcome, backfillRequest, bySchedule, times, timesRequest } from "../schemas/schedule.js";
import { wholeNumber } from "../schemas/values.js";

export const nextTimes = route({
  method: "GET",
  path: "/schedules/{scheduleId}/next",
  operationId: "nextTimes",
  tag: "schedules",
  summary: "When a schedule fires next, whether it is paused or not",
  role: "viewer",
  params: bySchedule,
  query: z.strictObject({ count: wholeNumber(1, 100).optional().meta({ description: "Default 5" }) }),
  answers: { 200: { description: "Its times", schema: times } },
  problems: ["SCHEDULE_NOT_FOUND", "SCHEDULE_NEVER_FIRES"],
  handle: async ({ params: { scheduleId }, query, caller: { tenantId }, api }) => {
    const { schedules } = api.ledger;
    const found = await schedules.next(scheduleId, { tenantId, ...present(query) });
    const timing = (await schedules.get(scheduleId, { tenantId }))?.definition.timing;
    return ok({ times: found, timeZone: timing !== undefined && "cron" in timing ? timing.timeZone : "UTC" });
  },
});

export const previewTimes = route({
  method: "POST",
  path: "/schedules/preview",
  operationId: "previewTimes",
  tag: "schedules",
  summary: "When a schedule would fire; nothing is saved",
  role: "viewer",
  body: timesRequest,
  answers: { 200: { description: "Its times", schema: times } },
  problems: ["SCHEDULE_INVALID", "SCHEDULE_NEVER_FIRES"],
  handle: async ({ body: { count, ...said }, caller: { tenantId }, api }) => {
    const timing = present(said) as TimingOptions;
    const found = await api.ledger.schedules.next(timing, { tenantId, ...present({ count }) });
    return ok({ times: found, timeZone: said.timeZone ?? "UTC" });
  },
});

export const backfillSchedule = route({
  method: "POST",
  path: "/schedules/{scheduleId}/backfill",
  operationId: "backfillSchedule",
  tag: "schedules",
  summary: "Give the times of a range that have no run their run",
  description:
    "At most 1,000 times. It may be repeated: a time has one run. With `dryRun` it says which would get one.",
  role: "operator",
  audited: true,
  params: bySchedule,
  body: backfillRequest,
  answers: { 200: { description: "The times, oldest first", schema: backfillOutcome } },
  problems: ["SCHEDULE_NOT_FOUND", "SCHEDULE_INVALID", "OPTION_INVALID", "QUEUE_FULL"],
  handle: async ({ params: { scheduleId }, body: { from, to, dryRun = false }, caller, api }) => {
    const range = { from, ...present({ to }), dryRun, tenantId: caller.tenantId, by: caller.name };
    return ok({ dryRun, items: await api.ledger.schedules.backfill(scheduleId, range) });
  },
});
