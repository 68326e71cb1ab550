import type { PartitionStatus } from "@runledger/contracts";
import type { PartitionBackfill, PartitionBackfillOptions } from "@runledger/runtime/partitions/backfill-partitions";

/** The operations on partitions that commands need. */
export interface PartitionBackend {
  list(workflow: string, range: PartitionRange): Promise<ListedPartitions>;
  backfill(workflow: string, params: Omit<PartitionBackfillOptions, "by">): Promise<PartitionBackfill>;
}

export interface PartitionRange {
  readonly from?: string;
  readonly to?: string;
}

export interface ListedPartitions {
  /** `null` if no partition is complete yet. */
  readonly first: string | null;
  readonly last: string | null;
  readonly items: readonly PartitionStatus[];
}
