/** The datasets of dbt's nodes, from the manifest. */
import type { JsonObject } from "@runledger/contracts";
import { expect, test } from "vitest";
import { Manifest } from "./manifest.js";
import { datasetsOf } from "./node-datasets.js";

const node = (kind: string, name: string, parents: readonly string[], more: JsonObject = {}): JsonObject => ({
  resource_type: kind,
  database: "shop",
  schema: "main",
  alias: name,
  name,
  path: `${name}.sql`,
  original_file_path: `models/${name}.sql`,
  package_name: "shop",
  depends_on: { nodes: [...parents] },
  config: { materialized: "table" },
  ...more,
});

const manifest = new Manifest({
  metadata: { adapter_type: "duckdb" },
  sources: { "source.raw": node("source", "raw", [], { identifier: "raw_orders", schema: "lake" }) },
  nodes: {
    "model.clean": node("model", "clean", ["source.raw"], { config: { materialized: "ephemeral" } }),
    "seed.rates": node("seed", "rates", []),
    "model.orders": node("model", "orders", ["model.clean", "seed.rates"], {
      columns: { id: { name: "id", data_type: "int", description: "Key" }, day: { name: "day" } },
    }),
    "test.orders": node("test", "not_null", ["model.orders"]),
  },
});

const usesOf = (uniqueId: string, rows: number | null = null) =>
  datasetsOf(manifest, manifest.nodes.get(uniqueId)!, rows);

test("a model writes its relation with its columns, and reads sources through ephemeral models", () => {
  expect(usesOf("model.orders", 9)).toEqual({
    reads: [
      { name: "shop.lake.raw_orders", namespace: "duckdb" },
      { name: "shop.main.rates", namespace: "duckdb" },
    ],
    writes: [
      {
        name: "shop.main.orders",
        namespace: "duckdb",
        fields: [{ name: "id", type: "int", description: "Key" }, { name: "day" }],
        rows: 9,
      },
    ],
  });
});

test("a test only reads, and a seed only writes", () => {
  expect(usesOf("test.orders")).toEqual({ reads: [{ name: "shop.main.orders", namespace: "duckdb" }], writes: [] });
  expect(usesOf("seed.rates")).toEqual({ reads: [], writes: [{ name: "shop.main.rates", namespace: "duckdb" }] });
});

test("columns that are too many to record are left out", () => {
  const columns = Object.fromEntries(Array.from({ length: 3000 }, (_, n) => [`c${n}`, { name: `c${n}` }]));
  const wide = new Manifest({ metadata: {}, nodes: { "model.wide": node("model", "wide", [], { columns }) } });
  expect(datasetsOf(wide, wide.nodes.get("model.wide")!, null).writes).toEqual([
    { name: "shop.main.wide", namespace: "dbt" },
  ]);
});
