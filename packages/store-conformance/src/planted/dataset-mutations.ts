/** Faults in the index of datasets, one per mutation. */
import type { DatasetIndex } from "@runledger/contracts";
import { overlay, type Mutation } from "./mutant.js";

const datasets =
  (change: (real: DatasetIndex) => Partial<DatasetIndex>): (() => Mutation) =>
  () => ({ store: (real) => ({ datasets: overlay(real.datasets!, change(real.datasets!)) }) });

export const datasetMutations: Readonly<Record<string, () => Mutation>> = {
  "any name is a dataset's": datasets((real) => ({ usesOf: (dataset) => real.usesOf({ ...dataset, name: "orders" }) })),
  "records of datasets are lost": datasets(() => ({ recordDatasets: async () => {} })),
  "a write is never taken": datasets(() => ({ takeWrite: async () => {} })),
};
