import type { RunError } from "./event-data.js";
import type { RunHeader, RunStatus } from "./snapshot.js";

export const runStatuses = [
  "PENDING",
  "APPROVED",
  "RUNNING",
  "PAUSED",
  "COMPLETED",
  "FAILED",
  "CANCELLED",
] as const satisfies readonly RunStatus[];

/** A run as lists show it: the parts of its header that stay small. Derived and rebuilt with the projection (F7). */
export interface RunSummary extends Pick<
  RunHeader,
  | "runId"
  | "status"
  | "lastEventSeq"
  | "startedAt"
  | "completedAt"
  | "totalDurationMs"
  | "planId"
  | "planVersion"
  | "logFormat"
  | "projectId"
  | "environmentId"
  | "runRequestId"
  | "priority"
  | "labels"
  | "parent"
  | "schedule"
  | "startedBy"
  | "culprit"
> {
  /** The tenant that created the run, as recorded in its head. Event payloads do not change it. */
  readonly tenantId: string;
  /** The time when the first event was emitted. Lists are ordered by it. */
  readonly createdAt: string;
  /** Set for a failed run. Long messages are truncated. */
  readonly error?: RunError;
  /** The reasons why steps of the run wait: `signal <name>` or `timer`, comma-separated. Other steps may be running. */
  readonly waitsFor?: string;
  /** `true` if the log holds more events than this summary includes (F6). */
  readonly stale?: boolean;
}

/** The filters by which runs can be counted without reading rows. */
export interface RunCountFilter {
  /** Every query is limited to one tenant. */
  readonly tenantId: string;
  readonly planId?: string;
  readonly projectId?: string;
  readonly environmentId?: string;
}

/** Selects runs. Absent fields match every run; a run must match all fields that are present. */
export interface RunFilter extends RunCountFilter {
  /** Matches any of these. */
  readonly status?: readonly RunStatus[];
  readonly planVersion?: string;
  /** Matches runs that have all of these. */
  readonly labels?: Readonly<Record<string, string>>;
  /** ISO 8601, inclusive. */
  readonly createdFrom?: string;
  /** ISO 8601, exclusive. */
  readonly createdTo?: string;
  /** Matches text in the failing step's id, the error's code or the start of its message. Case-insensitive. */
  readonly errorText?: string;
  readonly parentRunId?: string;
  readonly scheduleId?: string;
}

export interface RunPage {
  readonly runs: readonly RunSummary[];
  /** Opaque. Pass it to get the next page. `null` if this is the last page. */
  readonly cursor: string | null;
}

export type RunCounts = Readonly<Record<RunStatus, number>>;

/** The runs that were created in one bucket, by their current status. */
export interface HistogramBar {
  /** ISO 8601: the start of the bucket. */
  readonly at: string;
  readonly counts: RunCounts;
}

export type HistogramBucket = "minute" | "hour" | "day";

/**
 * Finds runs. A row is written with its run's projection and has the same content; a run is not found before it is
 * projected. Every query is limited to one tenant, and its cost does not depend on the number of runs.
 */
export interface RunIndex {
  /**
   * Lists runs newest first, at most `limit` (default 50). Pages are stable: runs created after the first page do not
   * shift the others. A page may be short, even empty, and still have a cursor, because the number of rows examined per
   * page is bounded.
   */
  listRuns(params: RunFilter & { readonly cursor?: string; readonly limit?: number }): Promise<RunPage>;
  /** Reads counters that are maintained with the rows. */
  countRuns(params: RunCountFilter): Promise<RunCounts>;
  /**
   * Returns bars in ascending order and omits empty ones. `from` and `to` are rounded down and up to the bucket. At
   * most 1,000 bars.
   */
  histogram(
    params: RunCountFilter & { readonly from: string; readonly to: string; readonly bucket: HistogramBucket },
  ): Promise<readonly HistogramBar[]>;
}
