import { omitUndefined } from "@runledger/contracts";
import type { PartitionBackfill, PartitionBackfillOptions } from "@runledger/runtime/partitions/backfill-partitions";
import type { AnyWorkflow } from "@runledger/runtime/workflow/types";
import { chooseWorkflow } from "./choose-workflow.js";
import type { ListedPartitions, PartitionBackend, PartitionRange } from "./partition-backend.js";
import type { StoreBackendOptions } from "./store-backend.js";
import { userName } from "./user-name.js";

export class StorePartitionBackend implements PartitionBackend {
  readonly #options: StoreBackendOptions;

  constructor(options: StoreBackendOptions) {
    this.#options = options;
  }

  get #tenant() {
    const { tenantId } = this.#options;
    return omitUndefined({ tenantId });
  }

  async list(workflow: string, range: PartitionRange): Promise<ListedPartitions> {
    return this.#options.ledger.partitions.list(await this.#find(workflow), { ...range, ...this.#tenant });
  }

  async backfill(workflow: string, params: Omit<PartitionBackfillOptions, "by">): Promise<PartitionBackfill> {
    const options = { ...params, ...this.#tenant, by: userName() };
    return this.#options.ledger.partitions.backfill(await this.#find(workflow), options);
  }

  /** Prefers the workflow of the project. Others are known by their plans in the store. */
  async #find(id: string): Promise<AnyWorkflow | string> {
    const project = await this.#options.project();
    const isOwn = project?.workflows.some(({ workflow }) => workflow.id === id) === true;
    return isOwn ? chooseWorkflow(project, id) : id;
  }
}
