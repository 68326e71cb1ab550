import type { RunledgerClient } from "@runledger/client";
import { omitUndefined } from "@runledger/contracts";
import type { DatasetDetail, DatasetView } from "@runledger/runtime/datasets/view-dataset";
import { allPages } from "./all-pages.js";
import type { DatasetBackend } from "./dataset-backend.js";

export class ServerDatasetBackend implements DatasetBackend {
  readonly #client: RunledgerClient;

  constructor(client: RunledgerClient) {
    this.#client = client;
  }

  list(text?: string): Promise<readonly DatasetView[]> {
    return allPages((after) => this.#client.listDatasets(omitUndefined({ text, after })));
  }

  get(name: string, namespace?: string): Promise<DatasetDetail> {
    return this.#client.getDataset({ name, ...omitUndefined({ namespace }) });
  }
}
