/** The datasets of a completed step. A log may come from another engine, so a part of the wrong type counts as absent. */
import {
  DATASET_NAMESPACE,
  isJsonObject,
  type DatasetUse,
  type DatasetUses,
  type Json,
  type JsonObject,
} from "@runledger/contracts";
import { facet, type Facets, type LineageDataset, type RunEvent } from "./run-event.js";

type Uses = Pick<RunEvent, "inputs" | "outputs">;

export function lineageDatasets({ reads, writes }: DatasetUses = {}): Uses {
  const outputs = listOf(writes).map((use) => ({
    ...datasetOf(use, { ...schemaOf(use), ...columnsOf(use) }),
    outputFacets: statisticsOf(use),
  }));
  return { inputs: listOf(reads).map((use) => datasetOf(use, schemaOf(use))), outputs };
}

function listOf(uses: DatasetUses["reads"]): readonly DatasetUse[] {
  return objectsIn(uses).filter(({ name }) => isName(name)) as readonly JsonObject[] as readonly DatasetUse[];
}

function datasetOf({ namespace, name }: DatasetUse, facets: Facets): LineageDataset {
  return { namespace: namespaceOf(namespace), name, facets };
}

function schemaOf({ fields }: DatasetUse): Facets {
  const listed = objectsIn(fields).filter(({ name }) => isName(name));
  if (listed.length === 0) return {};
  const schema = listed.map(({ name, type, description }) => ({
    name: name as string,
    ...(isName(type) ? { type } : {}),
    ...(isName(description) ? { description } : {}),
  }));
  return { schema: facet("SchemaDatasetFacet", { fields: schema }) };
}

function columnsOf({ columns }: DatasetUse): Facets {
  const entries = Object.entries(isJsonObject(columns) ? columns : {}).map(
    ([column, sources]) => [column, { inputFields: sourcesOf(sources) }] as const,
  );
  if (entries.length === 0) return {};
  return { columnLineage: facet("ColumnLineageDatasetFacet", { fields: Object.fromEntries(entries) }) };
}

function sourcesOf(sources: Json | undefined) {
  return objectsIn(sources)
    .filter(({ dataset, column }) => isName(dataset) && isName(column))
    .map(({ namespace, dataset, column }) => {
      return { namespace: namespaceOf(namespace), name: dataset as string, field: column as string };
    });
}

function statisticsOf({ rows, bytes }: DatasetUse): Facets {
  const counted = {
    ...(Number.isInteger(rows) ? { rowCount: rows! } : {}),
    ...(Number.isInteger(bytes) ? { size: bytes! } : {}),
  };
  if (Object.keys(counted).length === 0) return {};
  return { outputStatistics: facet("OutputStatisticsOutputDatasetFacet", counted) };
}

function objectsIn(values: unknown): readonly JsonObject[] {
  return Array.isArray(values) ? (values as readonly Json[]).filter(isJsonObject) : [];
}

function isName(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

function namespaceOf(namespace: Json | undefined): string {
  return isName(namespace) ? namespace : DATASET_NAMESPACE;
}
