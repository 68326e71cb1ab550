import { z } from "zod";
import { omitUndefined } from "@runledger/contracts";
import type { TimingOptions } from "@runledger/runtime/scheduler/read-timing";
import { ok, route } from "../http/define-route.js";
import { times, timingFields } from "./schedule-schema.js";

const timesRequest = z
  .strictObject({
    ...timingFields,
    count: z.int().min(1).max(100).optional().meta({ description: "Number of times. Defaults to 5." }),
  })
  .meta({ id: "TimesRequest", description: "Timing of a schedule that is not saved." });

export const previewTimes = route({
  method: "POST",
  path: "/schedules/preview",
  operationId: "previewTimes",
  tag: "schedules",
  summary: "Preview the times of a schedule",
  description: "Returns when a schedule with this timing would start runs. Nothing is saved.",
  role: "viewer",
  body: timesRequest,
  responses: { 200: { description: "The next times", schema: times } },
  problems: ["SCHEDULE_INVALID", "SCHEDULE_NEVER_FIRES"],
  handle: async ({ body: { count, ...fields }, caller: { tenantId }, api }) => {
    const timing = omitUndefined(fields) as TimingOptions;
    const found = await api.ledger.schedules.next(timing, { tenantId, ...omitUndefined({ count }) });
    return ok({ times: found, timeZone: fields.timeZone ?? "UTC" });
  },
});
