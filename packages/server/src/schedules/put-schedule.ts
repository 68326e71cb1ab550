import { z } from "zod";
import { catchUpPolicies, omitUndefined, overlapPolicies } from "@runledger/contracts";
import type { Duration } from "@runledger/core";
import type { ScheduleOptions } from "@runledger/runtime/scheduler/definition";
import { saveSchedule } from "@runledger/runtime/scheduler/save-schedule";
import { ok, route } from "../http/define-route.js";
import { identifier } from "../http/schemas.js";
import { bySchedule, duration, schedule, timingFields, toScheduleBody } from "./schedule-schema.js";

const scheduleRequest = z
  .strictObject({
    workflow: identifier.meta({ description: "Id of the workflow." }),
    version: identifier.optional().meta({ description: "Defaults to the version that was published last." }),
    input: z.unknown().optional().meta({ description: "Input of each run." }),
    ...timingFields,
    projectId: identifier.optional().meta({ description: "Defaults to `default`." }),
    environmentId: identifier.optional().meta({ description: "Defaults to `default`." }),
    priority: z
      .int()
      .min(-1000)
      .max(1000)
      .optional()
      .meta({ description: "Defaults to 0. Higher values start first." }),
    concurrencyKey: identifier.optional().meta({ description: "Runs with the same key run one at a time." }),
    labels: z.record(identifier, z.string().max(255)).optional(),
    catchUp: z
      .enum(catchUpPolicies)
      .optional()
      .meta({ description: "Which times to run that passed while no scheduler ran. Defaults to `latest`." }),
    catchUpLimit: z
      .int()
      .min(1)
      .max(1000)
      .optional()
      .meta({ description: "Maximum number of times for `all`. Defaults to 100." }),
    overlap: z.enum(overlapPolicies).optional().meta({
      description:
        "What to do if the previous run is still open: `allow` another, `skip` the time, `queue` it, or `cancel` the open run. Defaults to `skip`.",
    }),
    jitter: duration.optional().meta({
      description: "Delays every time by a fixed amount up to this duration, which is derived from the schedule's id.",
    }),
  })
  .meta({ id: "ScheduleRequest", description: "A schedule. Set exactly one of `cron`, `every` and `at`." });

export const putSchedule = route({
  method: "PUT",
  path: "/schedules/{scheduleId}",
  operationId: "putSchedule",
  tag: "schedules",
  summary: "Create or replace a schedule",
  description:
    "Replaces all fields. A paused schedule stays paused, and the schedule keeps its next time if the timing is the same.",
  role: "engineer",
  audited: true,
  params: bySchedule,
  body: scheduleRequest,
  maxBodyBytes: 512 * 1024,
  responses: { 200: { description: "The schedule", schema: schedule } },
  problems: [
    "WORKFLOW_NOT_FOUND",
    "SCHEMA_MISMATCH",
    "SCHEDULE_INVALID",
    "SCHEDULE_NEVER_FIRES",
    "PAYLOAD_TOO_LARGE",
    "PAYLOAD_NOT_JSON",
  ],
  handle: async ({ params: { scheduleId: id }, body, caller: { tenantId }, api }) => {
    const { workflow, version, input, ...fields } = body;
    const found = await api.workflows.find(workflow, version, tenantId);
    const options = { ...omitUndefined(fields), id, tenantId } as ScheduleOptions & { readonly every?: Duration };
    return ok(toScheduleBody(await saveSchedule(api.ledger.store, found, input, options)));
  },
});
