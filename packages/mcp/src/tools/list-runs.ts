import { InputError, omitUndefined, runStatuses, type RunSummary } from "@runledger/contracts";
import { parseDuration } from "@runledger/core";
import { z } from "zod";
import type { RunsFilter } from "../backend.js";
import { tool } from "../tool.js";

const MAX_RUNS = 50;
const text = z.string().min(1).max(256);

const input = z.strictObject({
  status: z
    .array(z.enum(runStatuses))
    .min(1)
    .max(runStatuses.length)
    .optional()
    .describe("Only runs with one of these."),
  workflow: text.optional().describe("Only runs of this workflow."),
  version: text.optional().describe("Only runs of this version of the workflow."),
  labels: z.record(text, text).optional().describe("Only runs that have all of these labels."),
  error: text.optional().describe("Only runs whose failed step or error contains this text."),
  since: text.default("7d").describe("Only runs created in this period (12h, 7d) or since this time (ISO 8601)."),
  until: text.optional().describe("Only runs created before this time, or longer ago than this period."),
  parent: text.optional().describe("Only child runs of this run."),
  schedule: text.optional().describe("Only runs that this schedule started."),
  limit: z.int().min(1).max(MAX_RUNS).default(20).describe("Maximum number of runs."),
  cursor: z.string().min(1).max(2_000).optional().describe("`next` of the previous page."),
});

export const listRuns = tool({
  name: "list_runs",
  title: "List runs",
  description: "Lists runs of workflows, newest first, with status, times and errors. Use explain_run for one of them.",
  input,
  run: async ({ backend, tenantId }, { limit, cursor, since, until, ...filter }) => {
    const times = { since: toTime("since", since), until: until === undefined ? undefined : toTime("until", until) };
    const wanted = omitUndefined({ ...filter, ...times, tenantId }) as RunsFilter;
    const found = await backend.listRuns(wanted, { limit, ...omitUndefined({ cursor }) });
    return { runs: found.runs.map((run) => rowOf(run, found.missingWorker(run))), next: found.cursor };
  },
});

function rowOf(run: RunSummary, missingWorker: string | null) {
  const { runId, planId: workflow, planVersion: version, status, createdAt, startedAt, completedAt } = run;
  const { totalDurationMs: durationMs, startedBy, labels, parent, schedule, culprit, waitsFor, stale } = run;
  const error = run.error && { code: run.error.code, message: run.error.message };
  const times = { createdAt, startedAt, completedAt, durationMs };
  const reasons = { error, culprit, waitsFor, missingWorker: missingWorker ?? undefined };
  return { runId, workflow, version, status, ...times, startedBy, labels, parent, schedule, ...reasons, stale };
}

/** Parses a duration before now, or a time. */
function toTime(field: string, given: string): string {
  const ago = parseDuration(given);
  const time = ago === null ? Date.parse(given) : Date.now() - ago;
  if (!Number.isNaN(time) && Math.abs(time) <= 8.64e15) return new Date(time).toISOString();
  throw new InputError("REQUEST_INVALID", field, "is neither a duration such as 12h or 7d, nor a time in ISO 8601.");
}
