import { z } from "zod";
import { omitUndefined, runStatuses, storableInstant, type RunFilter } from "@runledger/contracts";
import { identifier } from "../http/schemas.js";

const NO_TIME = "must be an ISO 8601 time such as 2026-11-14T08:00:00Z.";

export const timeParam = z.iso
  .datetime({ offset: true, error: NO_TIME })
  .refine((text) => storableInstant(Date.parse(text)) !== null, NO_TIME);

/** Filters that counters support without reading runs. */
export const countQuery = {
  workflow: identifier.optional().meta({ description: "Only runs of this workflow." }),
  project: identifier.optional().meta({ description: "Only runs of this project." }),
  environment: identifier.optional().meta({ description: "Only runs of this environment." }),
};

const statusList = z
  .string()
  .transform((text) => text.split(","))
  .pipe(z.array(z.enum(runStatuses)).min(1).max(runStatuses.length));
const labelPairs = z
  .string()
  .max(2000)
  .transform((text) => text.split(","))
  .pipe(z.array(z.string().regex(/^[^:]+:.+$/, "must be name:value pairs, separated by commas.")).max(20));

/** Filters of a run list. A run must match all of them. */
export const filterQuery = {
  ...countQuery,
  status: statusList.optional().meta({ description: "Only runs with one of these statuses, separated by commas." }),
  version: identifier.optional().meta({ description: "Only runs of this version of the workflow." }),
  labels: labelPairs
    .optional()
    .meta({ description: "Only runs with all of these labels, such as `team:data,env:prod`." }),
  createdFrom: timeParam.optional().meta({ description: "Only runs created at this time or later." }),
  createdTo: timeParam.optional().meta({ description: "Only runs created before this time." }),
  error: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .meta({ description: "Text that occurs in the failing step's id, or in the error's code or message." }),
  parent: identifier.optional().meta({ description: "Only child runs of this run." }),
  schedule: identifier.optional().meta({ description: "Only runs of this schedule." }),
};

export const streamQuery = z.strictObject(filterQuery);

/** The same filters in a body, where lists are arrays. */
export const bulkFilter = z
  .strictObject({
    ...filterQuery,
    status: z
      .array(z.enum(runStatuses))
      .min(1)
      .max(runStatuses.length)
      .optional()
      .meta({ description: "Only runs with one of these statuses." }),
    labels: z
      .array(
        z
          .string()
          .max(511)
          .regex(/^[^:]+:.+$/, "must be name:value pairs."),
      )
      .max(20)
      .optional()
      .meta({ description: "Only runs with all of these labels, such as `team:data`." }),
  })
  .meta({ id: "RunFilter", description: "Selects runs. A run must match all fields." });

/** Translates a query into a filter of the run index. */
export function toFilter(tenantId: string, query: z.output<typeof streamQuery>): RunFilter {
  const { workflow, project, environment, version, status, labels, createdFrom, createdTo, error, parent, schedule } =
    query;
  return {
    tenantId,
    ...omitUndefined({
      planId: workflow,
      projectId: project,
      environmentId: environment,
      planVersion: version,
      status,
    }),
    ...omitUndefined({ createdFrom, createdTo, errorText: error, parentRunId: parent, scheduleId: schedule }),
    ...(labels === undefined ? {} : { labels: toLabels(labels) }),
  };
}

function toLabels(pairs: readonly string[]): Record<string, string> {
  return Object.fromEntries(pairs.map((pair) => [pair.slice(0, pair.indexOf(":")), pair.slice(pair.indexOf(":") + 1)]));
}
