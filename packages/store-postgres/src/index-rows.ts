/** Rows of the run index as SQL reads them, and the counters that depend on them. */
import { sha256Hex, type RunHeader } from "@runledger/contracts";
import { toIndexRow } from "@runledger/core/store";

/** The longest text that fits into an index key beside three others. */
const LONGEST = 240;

/** Turns any text into a key: the text itself, or its beginning and a hash. */
export function indexText(text: string): string {
  if (text.length <= LONGEST && Buffer.byteLength(text) <= LONGEST) return text;
  return `${text.slice(0, 40).replace(/[\ud800-\udbff]$/, "")}…${sha256Hex(text)}`;
}

/** Returns the key for a filter, or `null` if the filter does not set it. */
export function textOrNull(text: string | null | undefined): string | null {
  return text === null || text === undefined ? null : indexText(text);
}

/** A row as `jsonb_to_recordset` reads it. The tenant is the head's. */
export function indexRowJson(header: RunHeader): object {
  const { summary, labels, parentRunId, scheduleId, errorText } = toIndexRow(header);
  return {
    run_id: header.runId,
    created_at: summary.createdAt,
    status: summary.status,
    plan_id: indexText(summary.planId ?? ""),
    plan_version: indexText(summary.planVersion ?? ""),
    project_id: indexText(summary.projectId ?? ""),
    environment_id: indexText(summary.environmentId ?? ""),
    labels: labels.map(indexText),
    parent_run_id: textOrNull(parentRunId),
    schedule_id: textOrNull(scheduleId),
    error_text: errorText,
    summary,
  };
}

export const rowColumns = `run_id, created_at, status, plan_id, plan_version, project_id, environment_id, labels,
  parent_run_id, schedule_id, error_text, summary`;

export const rowTypes = `run_id text, created_at timestamptz(3), status text, plan_id text, plan_version text,
  project_id text, environment_id text, labels text[], parent_run_id text, schedule_id text, error_text text,
  summary jsonb`;

const counted = "tenant_id, level, bucket, plan_id, project_id, environment_id, status";

/** `changes` selects rows of the index and the amount by which each counts. */
const summed = (changes: string): string => `
SELECT ${counted}, sum(change) AS runs
FROM (${changes}) AS d
CROSS JOIN LATERAL (VALUES
  ('all', '-infinity'::timestamptz), ('day', date_trunc('day', d.created_at, 'UTC')),
  ('hour', date_trunc('hour', d.created_at, 'UTC')), ('minute', date_trunc('minute', d.created_at, 'UTC'))
) AS b (level, bucket)
GROUP BY ${counted}`;

/** The correct values of all counters. */
export const rowCounts = summed("SELECT i.*, 1 AS change FROM runledger.run_index i");

/**
 * Adds changes to the counters. Changes are summed before the first counter is locked, and counters are locked in key
 * order, so that two writers never deadlock.
 */
export function countChanges(changes: string): string {
  return `
INSERT INTO runledger.run_counts AS c (${counted}, runs)
${summed(changes)} HAVING sum(change) <> 0 ORDER BY ${counted}
ON CONFLICT (${counted}) DO UPDATE SET runs = c.runs + EXCLUDED.runs`;
}
