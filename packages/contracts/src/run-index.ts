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

/** A run as a list shows it: what of its header stays small. Derived, and rebuilt, with the projection (F7). */
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
  /** The head's: whoever made the run, not what an event says. */
  readonly tenantId: string;
  /** When its first event was emitted: what lists are ordered by. */
  readonly createdAt: string;
  /** Of a failed run. A long message is cut. */
  readonly error?: RunError;
  /** What steps of a run wait for: `signal <name>`, `timer`, several with commas. Others may be at work. */
  readonly waitsFor?: string;
  /** True = the log holds more than this shows (F6). */
  readonly stale?: boolean;
}

/** What can be counted without looking at runs. */
export interface RunCountFilter {
  /** Nobody asks across tenants. */
  readonly tenantId: string;
  readonly planId?: string;
  readonly projectId?: string;
  readonly environmentId?: string;
}

/** Which runs. What is absent does not matter; everything that is present must hold. */
export interface RunFilter extends RunCountFilter {
  /** Any of these. */
  readonly status?: readonly RunStatus[];
  readonly planVersion?: string;
  /** All of these. */
  readonly labels?: Readonly<Record<string, string>>;
  /** ISO 8601, inclusive: created then or later. */
  readonly createdFrom?: string;
  /** ISO 8601, exclusive: created before. */
  readonly createdTo?: string;
  /** Occurs in the failing step's id, the error's code or the beginning of its message; case does not matter. */
  readonly errorText?: string;
  readonly parentRunId?: string;
  readonly scheduleId?: string;
}

export interface RunPage {
  readonly runs: readonly RunSummary[];
  /** Opaque: where the next page begins. Null = there is nothing more. */
  readonly cursor: string | null;
}

export type RunCounts = Readonly<Record<RunStatus, number>>;

/** The runs that were created in one bucket, by the status that they have now. */
export interface HistogramBar {
  /** ISO 8601: when the bucket begins. */
  readonly at: string;
  readonly counts: RunCounts;
}

export type HistogramBucket = "minute" | "hour" | "day";

/**
 * Finding runs. A row is written with its run's projection and says what that says; a run that is not projected yet is
 * not found yet. Every question is one tenant's, and costs the same however many runs there are.
 */
export interface RunIndex {
  /**
   * Newest first, at most `limit` (default 50). Pages are stable: what was created after the first page does not move
   * the others. A page may be short, even empty, and still have a cursor: how many runs are looked at for it is bounded.
   */
  listRuns(params: RunFilter & { readonly cursor?: string; readonly limit?: number }): Promise<RunPage>;
  /** From counters that are kept with the rows, so that nothing is counted when it is asked. */
  countRuns(params: RunCountFilter): Promise<RunCounts>;
  /** Ascending; bars without runs are left out. `from` and `to` are rounded down and up to the bucket; at most 1,000 bars. */
  histogram(
    params: RunCountFilter & { readonly from: string; readonly to: string; readonly bucket: HistogramBucket },
  ): Promise<readonly HistogramBar[]>;
}
