import type { DatasetUse, DatasetUses } from "@runledger/contracts";
import { parseDuration } from "../duration.js";
import type { Duration } from "./definition.js";

/** The datasets of a step as written. A text is the name of a dataset. */
export interface DefinitionDatasets {
  readonly reads?: readonly DefinitionDataset[];
  readonly writes?: readonly DefinitionDataset[];
}

export type DefinitionDataset = string | (Omit<DatasetUse, "freshForMs"> & { readonly freshFor?: Duration });

/** Expects datasets that were checked before. */
export function toDatasets({ reads = [], writes = [] }: DefinitionDatasets): DatasetUses {
  return {
    ...(reads.length > 0 && { reads: reads.map(toDataset) }),
    ...(writes.length > 0 && { writes: writes.map(toDataset) }),
  };
}

function toDataset(written: DefinitionDataset): DatasetUse {
  if (typeof written === "string") return { name: written };
  const { freshFor, ...use } = written;
  return freshFor === undefined ? use : { ...use, freshForMs: parseDuration(freshFor)! };
}
