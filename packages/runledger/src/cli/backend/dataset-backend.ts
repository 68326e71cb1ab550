import type { DatasetDetail, DatasetView } from "@runledger/runtime/datasets/view-dataset";

/** The operations on datasets that commands need. */
export interface DatasetBackend {
  /** `text` matches a part of the name. */
  list(text?: string): Promise<readonly DatasetView[]>;
  get(name: string, namespace?: string): Promise<DatasetDetail>;
}
