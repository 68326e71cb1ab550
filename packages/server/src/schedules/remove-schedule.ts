import { route } from "../http/define-route.js";
import { bySchedule } from "./schedule-schema.js";

export const removeSchedule = route({
  method: "DELETE",
  path: "/schedules/{scheduleId}",
  operationId: "removeSchedule",
  tag: "schedules",
  summary: "Remove a schedule",
  description: "Keeps the runs of the schedule.",
  role: "engineer",
  audited: true,
  params: bySchedule,
  responses: { 204: { description: "The schedule is removed" } },
  problems: ["SCHEDULE_NOT_FOUND"],
  handle: async ({ params: { scheduleId }, caller: { tenantId }, api }) => {
    await api.ledger.schedules.remove(scheduleId, { tenantId });
    return { status: 204 };
  },
});
