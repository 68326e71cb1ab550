import type { DatasetUses } from "@runledger/contracts";
import { expect, test } from "vitest";
import { facet } from "./run-event.js";
import { lineageDatasets } from "./lineage-datasets.js";

test("datasets have their schema, column lineage and statistics", () => {
  const { inputs, outputs } = lineageDatasets({
    reads: [{ name: "raw.orders", namespace: "postgres://db:5432", fields: [{ name: "id", type: "bigint" }], rows: 7 }],
    writes: [
      {
        name: "shop.orders",
        columns: { id: [{ dataset: "raw.orders", namespace: "postgres://db:5432", column: "id" }] },
        rows: 12,
        bytes: 480,
      },
    ],
  });
  expect(inputs).toEqual([
    {
      namespace: "postgres://db:5432",
      name: "raw.orders",
      facets: { schema: facet("SchemaDatasetFacet", { fields: [{ name: "id", type: "bigint" }] }) },
    },
  ]);
  const source = { namespace: "postgres://db:5432", name: "raw.orders", field: "id" };
  expect(outputs).toEqual([
    {
      namespace: "runledger",
      name: "shop.orders",
      facets: { columnLineage: facet("ColumnLineageDatasetFacet", { fields: { id: { inputFields: [source] } } }) },
      outputFacets: { outputStatistics: facet("OutputStatisticsOutputDatasetFacet", { rowCount: 12, size: 480 }) },
    },
  ]);
});

test("parts of the wrong type count as absent", () => {
  const wrong: unknown = {
    reads: "raw",
    writes: [null, 7, { name: 1 }, { name: "a", fields: [1, { type: "x" }], columns: { id: "x" }, rows: "many" }],
  };
  expect(lineageDatasets(wrong as DatasetUses)).toEqual({
    inputs: [],
    outputs: [
      {
        namespace: "runledger",
        name: "a",
        facets: { columnLineage: facet("ColumnLineageDatasetFacet", { fields: { id: { inputFields: [] } } }) },
        outputFacets: {},
      },
    ],
  });
});
