/** Partitions of a workflow: a day, an hour or a key, each of which has runs of its own. */
import type { RunStatus } from "./snapshot.js";

/** How a workflow is partitioned. Data only, and part of its plan. */
export type Partitions =
  | {
      readonly by: "day";
      /** The first day, such as `2026-01-01`. */
      readonly start: string;
      /** The last day. Absent if there is always a next one. */
      readonly end?: string;
      /** The time zone of the days. Defaults to UTC. */
      readonly timeZone?: string;
    }
  | {
      readonly by: "hour";
      /** The first hour in UTC, such as `2026-01-01T00`, or the day that starts with it. */
      readonly start: string;
      /** The last hour. Absent if there is always a next one. */
      readonly end?: string;
    }
  | {
      readonly by: "key";
      /** The keys, in the order in which they are listed and started. */
      readonly keys: readonly string[];
    };

export const partitionKinds = ["day", "hour", "key"] as const satisfies readonly Partitions["by"][];

/** One partition. `start` and `end` are ISO 8601, and `end` is exclusive. Partitions by key have neither. */
export interface Partition {
  readonly key: string;
  readonly start?: string;
  readonly end?: string;
}

/** The label of a run that names its partition. */
export const PARTITION_LABEL = "partition";

/** The state of a partition is that of its newest run; `missing` if it has none. */
export const partitionStates = ["missing", "queued", "running", "succeeded", "failed", "cancelled"] as const;
export type PartitionState = (typeof partitionStates)[number];

/** Selects partitions without a run, those whose newest run failed or was cancelled, or both. */
export const backfillScopes = ["missing", "failed", "both"] as const;
export type BackfillScope = (typeof backfillScopes)[number];

/** A partition and its newest run. */
export interface PartitionStatus extends Partition {
  readonly state: PartitionState;
  /** `null` if the partition has no run. */
  readonly runId: string | null;
}

const STATES: Readonly<Record<RunStatus, PartitionState>> = {
  PENDING: "queued",
  APPROVED: "queued",
  RUNNING: "running",
  PAUSED: "running",
  COMPLETED: "succeeded",
  FAILED: "failed",
  CANCELLED: "cancelled",
};

/** Returns the state of a partition whose newest run has this status. */
export function partitionStateOf(status: RunStatus): PartitionState {
  return STATES[status];
}
