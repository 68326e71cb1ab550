import type { DatasetField, DatasetName } from "./datasets.js";

export const datasetAccesses = ["read", "write"] as const;
export type DatasetAccess = (typeof datasetAccesses)[number];

/** Identifies a completed attempt of a step. */
export interface CompletedAttempt {
  readonly runId: string;
  readonly stepId: string;
  readonly attempt: string;
}

/** A completed attempt of a step that read or wrote a dataset. */
export interface DatasetRecord extends DatasetName, CompletedAttempt {
  readonly access: DatasetAccess;
  readonly planId: string;
  /** ISO 8601: the time when the step completed. */
  readonly at: string;
  readonly details: DatasetDetails;
}

export type DatasetDetails = {
  readonly rows?: number;
  readonly bytes?: number;
  readonly fields?: readonly DatasetField[];
  /** The dataset is stale if its last write is older. */
  readonly freshForMs?: number;
};

/** The last use of a dataset by a step of a workflow. */
export interface LastUse extends Omit<DatasetRecord, "runId"> {
  /** `null` if the run was deleted. */
  readonly runId: string | null;
}

export interface DatasetSummary extends DatasetName {
  /** `null` if no step has written it. */
  readonly lastWrite: LastUse | null;
}

/** A step of a workflow, in any run. */
export interface WorkflowStep {
  readonly planId: string;
  readonly stepId: string;
}

export interface TenantDataset extends DatasetName {
  readonly tenantId: string;
}

/** A write as a trigger finds it. */
export interface DatasetWrite extends DatasetRecord {
  /** ISO 8601, by the store's clock. */
  readonly recordedAt: string;
}

/**
 * The datasets that completed steps have read and written. Derived from the log by projectors (F7), and safe to record
 * again. A record belongs to the tenant of its run's head.
 */
export interface DatasetIndex {
  /** Records attempts. Ignores runs that do not exist, and records that are older than the last use of the same step. */
  recordDatasets(records: readonly DatasetRecord[]): Promise<void>;
  /** Lists datasets by namespace and name, ascending. `text` matches a part of the name. `limit` defaults to 100. */
  listDatasets(params: {
    readonly tenantId: string;
    readonly text?: string;
    readonly after?: DatasetName;
    readonly limit?: number;
  }): Promise<readonly DatasetSummary[]>;
  /** Returns the last use by each step, newest first, at most 1000. */
  usesOf(dataset: TenantDataset): Promise<readonly LastUse[]>;
  /** Returns the last uses of all datasets by these steps, by namespace and name, at most 1000. */
  usesBySteps(params: {
    readonly tenantId: string;
    readonly steps: readonly WorkflowStep[];
  }): Promise<readonly LastUse[]>;
  /** Returns the writes of runs that exist, newest first. `limit` defaults to 20. */
  listWrites(params: TenantDataset & { readonly limit?: number }): Promise<readonly DatasetWrite[]>;
  /** Returns writes that a trigger has not taken, the first recorded one first, at most 100. */
  untakenWrites(
    params: TenantDataset & {
      readonly triggerId: string;
      /** ISO 8601. Only writes that were recorded from this time on. */
      readonly recordedFrom: string;
    },
  ): Promise<readonly DatasetWrite[]>;
  /** Notes that a trigger has taken a write. Idempotent. */
  takeWrite(params: TenantDataset & CompletedAttempt & { readonly triggerId: string }): Promise<void>;
}
