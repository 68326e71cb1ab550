import { InputError } from "@runledger/contracts";
import { ok, route } from "../http/define-route.js";
import { bySchedule, schedule, toScheduleBody } from "./schedule-schema.js";

export const getSchedule = route({
  method: "GET",
  path: "/schedules/{scheduleId}",
  operationId: "getSchedule",
  tag: "schedules",
  summary: "Get a schedule",
  description: "Returns the schedule with its next time and the outcome of its last time.",
  role: "viewer",
  params: bySchedule,
  responses: { 200: { description: "The schedule", schema: schedule } },
  problems: ["SCHEDULE_NOT_FOUND"],
  handle: async ({ params: { scheduleId }, caller: { tenantId }, api }) => {
    const found = await api.ledger.schedules.get(scheduleId, { tenantId });
    if (found !== null) return ok(toScheduleBody(found));
    throw new InputError(
      "SCHEDULE_NOT_FOUND",
      "scheduleId",
      `${scheduleId} does not exist. List the schedules with GET /schedules.`,
    );
  },
});
