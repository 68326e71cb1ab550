import { ok, route } from "../http/define-route.js";
import { bySchedule, schedule, toScheduleBody } from "./schedule-schema.js";

export const pauseSchedule = route({
  method: "POST",
  path: "/schedules/{scheduleId}/pause",
  operationId: "pauseSchedule",
  tag: "schedules",
  summary: "Pause a schedule",
  description: "Times that pass while the schedule is paused get no run.",
  role: "operator",
  audited: true,
  params: bySchedule,
  responses: { 200: { description: "The schedule", schema: schedule } },
  problems: ["SCHEDULE_NOT_FOUND"],
  handle: async ({ params: { scheduleId }, caller: { tenantId }, api }) =>
    ok(toScheduleBody(await api.ledger.schedules.pause(scheduleId, { tenantId }))),
});

export const resumeSchedule = route({
  method: "POST",
  path: "/schedules/{scheduleId}/resume",
  operationId: "resumeSchedule",
  tag: "schedules",
  summary: "Resume a paused schedule",
  role: "operator",
  audited: true,
  params: bySchedule,
  responses: { 200: { description: "The schedule", schema: schedule } },
  problems: ["SCHEDULE_NOT_FOUND"],
  handle: async ({ params: { scheduleId }, caller: { tenantId }, api }) =>
    ok(toScheduleBody(await api.ledger.schedules.resume(scheduleId, { tenantId }))),
});
