import { datasetFault } from "@runledger/contracts";
import { parseDuration } from "../duration.js";
import type { DefinitionDataset, DefinitionDatasets } from "./definition-datasets.js";

type Fault = readonly [at: string, message: string];

/** Returns the first problem of each list. */
export function* datasetFaults(written: DefinitionDatasets): Generator<Fault> {
  const unknown = Object.keys(written).find((name) => name !== "reads" && name !== "writes");
  if (unknown !== undefined) yield ["datasets", `datasets has no option "${unknown}". Use reads and writes.`];
  const { reads = [], writes = [] } = written;
  for (const [list, datasets] of Object.entries({ reads, writes })) {
    const fault = listFault(datasets, list === "writes");
    if (fault !== undefined) yield ["datasets", `datasets.${list} ${fault}`];
  }
}

function listFault(datasets: unknown, isWritten: boolean): string | undefined {
  if (!Array.isArray(datasets)) return "must be a list of datasets.";
  const uses = (datasets as readonly DefinitionDataset[]).map((one) => (typeof one === "string" ? { name: one } : one));
  const { freshFor } = uses.find((use) => use?.freshFor !== undefined) ?? {};
  if (freshFor !== undefined && !isWritten) return "cannot have freshFor. Set it where the dataset is written.";
  const isBad = uses.some((use) => use?.freshFor !== undefined && parseDuration(use.freshFor) === null);
  if (isBad) return `has a freshFor that is not a duration. Write it like "1h".`;
  return datasetFault(uses.map((use) => withoutPolicy(use)));
}

function withoutPolicy(use: Exclude<DefinitionDataset, string>): unknown {
  if (typeof use !== "object" || use === null) return use;
  const { freshFor: _, ...rest } = use;
  return rest;
}
