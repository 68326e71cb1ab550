import type { Duration } from "@runledger/core";
import { InputError, type Schedule } from "@runledger/contracts";
import type { ScheduleOptions } from "../../scheduler/definition.js";
import { present } from "../../workflow/present.js";
import { ok, route } from "../http/define-route.js";
import { bySchedule, schedule, schedulePage, scheduleQuery, scheduleRequest } from "../schemas/schedule.js";

export const listSchedules = route({
  method: "GET",
  path: "/schedules",
  operationId: "listSchedules",
  tag: "schedules",
  summary: "Schedules, by id",
  role: "viewer",
  query: scheduleQuery,
  answers: { 200: { description: "A page of schedules", schema: schedulePage } },
  problems: [],
  handle: async ({ query: { workflow, after, limit = 100 }, caller: { tenantId }, api }) => {
    const place = present({ afterId: after });
    const found = await api.ledger.schedules.list({ tenantId, ...place, limit: limit + 1 });
    const page = found.slice(0, limit);
    const items = page.filter(({ definition: { plan } }) => (workflow ?? plan.planId) === plan.planId);
    return ok({ items: items.map(shown), next: found.length > limit ? page.at(-1)!.scheduleId : null });
  },
});

export const getSchedule = route({
  method: "GET",
  path: "/schedules/{scheduleId}",
  operationId: "getSchedule",
  tag: "schedules",
  summary: "A schedule, when it fires next, and what became of the last time",
  role: "viewer",
  params: bySchedule,
  answers: { 200: { description: "The schedule", schema: schedule } },
  problems: ["SCHEDULE_NOT_FOUND"],
  handle: async ({ params: { scheduleId }, caller: { tenantId }, api }) => {
    const found = await api.ledger.schedules.get(scheduleId, { tenantId });
    if (found !== null) return ok(shown(found));
    throw new InputError("SCHEDULE_NOT_FOUND", "scheduleId", `there is no schedule ${scheduleId}.`);
  },
});

export const putSchedule = route({
  method: "PUT",
  path: "/schedules/{scheduleId}",
  operationId: "putSchedule",
  tag: "schedules",
  summary: "Make a schedule, or change it",
  description: "What is said here is what holds. A pause stays, and so does its place in time.",
  role: "engineer",
  audited: true,
  params: bySchedule,
  body: scheduleRequest,
  maxBodyBytes: 512 * 1024,
  answers: { 200: { description: "The schedule as it is now", schema: schedule } },
  problems: [
    "WORKFLOW_NOT_FOUND",
    "SCHEMA_MISMATCH",
    "SCHEDULE_INVALID",
    "SCHEDULE_NEVER_FIRES",
    "PAYLOAD_TOO_LARGE",
    "PAYLOAD_NOT_JSON",
  ],
  handle: async ({ params: { scheduleId: id }, body, caller: { tenantId }, api }) => {
    const { workflow, version, input, ...said } = body;
    const found = await api.workflows.find(workflow, version);
    const options = { ...present(said), id, tenantId } as ScheduleOptions & { readonly every?: Duration };
    return ok(shown(await api.ledger.schedules.putCompiled(found, input, options)));
  },
});

export const removeSchedule = route({
  method: "DELETE",
  path: "/schedules/{scheduleId}",
  operationId: "removeSchedule",
  tag: "schedules",
  summary: "Remove a schedule; its runs stay",
  role: "engineer",
  audited: true,
  params: bySchedule,
  answers: { 204: { description: "It is gone" } },
  problems: ["SCHEDULE_NOT_FOUND"],
  handle: async ({ params: { scheduleId }, caller: { tenantId }, api }) => {
    await api.ledger.schedules.remove(scheduleId, { tenantId });
    return { status: 204 };
  },
});

export const pauseSchedule = route({
  method: "POST",
  path: "/schedules/{scheduleId}/pause",
  operationId: "pauseSchedule",
  tag: "schedules",
  summary: "Pause a schedule; times that come meanwhile get no run",
  role: "operator",
  audited: true,
  params: bySchedule,
  answers: { 200: { description: "The schedule as it is now", schema: schedule } },
  problems: ["SCHEDULE_NOT_FOUND"],
  handle: async ({ params: { scheduleId }, caller: { tenantId }, api }) =>
    ok(shown(await api.ledger.schedules.pause(scheduleId, { tenantId }))),
});

export const resumeSchedule = route({
  method: "POST",
  path: "/schedules/{scheduleId}/resume",
  operationId: "resumeSchedule",
  tag: "schedules",
  summary: "Let a paused schedule go on",
  role: "operator",
  audited: true,
  params: bySchedule,
  answers: { 200: { description: "The schedule as it is now", schema: schedule } },
  problems: ["SCHEDULE_NOT_FOUND"],
  handle: async ({ params: { scheduleId }, caller: { tenantId }, api }) =>
    ok(shown(await api.ledger.schedules.resume(scheduleId, { tenantId }))),
});

function shown({ scheduleId, definition, pausedAt, nextTick, dueAt, waiting, last }: Schedule) {
  const { plan, state: _, ...said } = definition;
  const about = { scheduleId, workflow: plan.planId, version: plan.planVersion };
  return { ...about, ...said, pausedAt, nextTick, dueAt, waiting, last };
}
