/** Reads the index of datasets: who wrote a dataset last, whether it is fresh, and which datasets it depends on. */
import {
  DATASET_NAMESPACE,
  DEFAULT_TENANT,
  InputError,
  omitUndefined,
  type DatasetIndex,
  type DatasetName,
  type FullStateStore,
} from "@runledger/contracts";
import { describeDataset, viewDataset, type DatasetDetail, type DatasetView } from "./view-dataset.js";

export interface DatasetTenantOption {
  /** Default `default`. */
  readonly tenantId?: string;
}

export interface ListDatasetsOptions extends DatasetTenantOption {
  /** A part of the name. */
  readonly text?: string;
  readonly after?: DatasetName;
  /** Default 100. */
  readonly limit?: number;
}

export class LedgerDatasets {
  readonly #store: FullStateStore;
  readonly #now: () => number;
  readonly #missing: () => Error;

  /** `missing` returns the error for a store without an index of datasets. */
  constructor(store: FullStateStore, now: () => number, missing: () => Error) {
    this.#store = store;
    this.#now = now;
    this.#missing = missing;
  }

  /** Lists datasets by namespace and name. */
  async list({ tenantId = DEFAULT_TENANT, ...page }: ListDatasetsOptions = {}): Promise<DatasetView[]> {
    const found = await this.#index().listDatasets({ tenantId, ...omitUndefined(page) });
    return found.map((dataset) => viewDataset(dataset, this.#now()));
  }

  /** Throws DATASET_NOT_FOUND. The namespace defaults to `runledger`. */
  async get(name: string, options: DatasetTenantOption & { readonly namespace?: string } = {}): Promise<DatasetDetail> {
    const { tenantId = DEFAULT_TENANT, namespace = DATASET_NAMESPACE } = options;
    const found = await describeDataset(this.#index(), { tenantId, namespace, name }, this.#now());
    if (found !== null) return found;
    throw new InputError("DATASET_NOT_FOUND", "name", `no step has read or written ${name} in ${namespace}.`);
  }

  #index(): DatasetIndex {
    const { datasets } = this.#store;
    if (datasets === undefined) throw this.#missing();
    return datasets;
  }
}
