import { omitUndefined } from "@runledger/contracts";
import type { DatasetDetail, DatasetView } from "@runledger/runtime/datasets/view-dataset";
import type { DatasetBackend } from "./dataset-backend.js";
import type { StoreBackendOptions } from "./store-backend.js";

const PAGE = 500;

export class StoreDatasetBackend implements DatasetBackend {
  readonly #options: StoreBackendOptions;

  constructor(options: StoreBackendOptions) {
    this.#options = options;
  }

  async list(text?: string): Promise<readonly DatasetView[]> {
    const { ledger, tenantId } = this.#options;
    const found: DatasetView[] = [];
    for (;;) {
      const page = await ledger.datasets.list({
        ...omitUndefined({ tenantId, text, after: found.at(-1) }),
        limit: PAGE,
      });
      found.push(...page);
      if (page.length < PAGE) return found;
    }
  }

  get(name: string, namespace?: string): Promise<DatasetDetail> {
    const { ledger, tenantId } = this.#options;
    return ledger.datasets.get(name, omitUndefined({ tenantId, namespace }));
  }
}
