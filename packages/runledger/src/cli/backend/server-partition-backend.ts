import type { PartitionBackfillRequest, RunledgerClient } from "@runledger/client";
import type { PartitionBackfill, PartitionBackfillOptions } from "@runledger/runtime/partitions/backfill-partitions";
import type { ListedPartitions, PartitionBackend, PartitionRange } from "./partition-backend.js";

export class ServerPartitionBackend implements PartitionBackend {
  readonly #client: RunledgerClient;

  constructor(client: RunledgerClient) {
    this.#client = client;
  }

  list(workflow: string, range: PartitionRange): Promise<ListedPartitions> {
    return this.#client.listPartitions(workflow, { ...range });
  }

  backfill(workflow: string, params: Omit<PartitionBackfillOptions, "by">): Promise<PartitionBackfill> {
    return this.#client.backfillPartitions(workflow, params as PartitionBackfillRequest);
  }
}
