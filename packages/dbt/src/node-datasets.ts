/** The datasets of a dbt node: the relation that it writes, and the relations that it reads. */
import {
  datasetUsesFault,
  isJsonObject,
  MAX_DATASETS,
  omitUndefined,
  type DatasetField,
  type DatasetUse,
  type DatasetUses,
  type Json,
  type JsonObject,
} from "@runledger/contracts";
import { objectOf, textOf } from "./events.js";
import type { Manifest, ManifestNode } from "./manifest.js";

/** Kinds of nodes that write a relation. */
const WRITERS = ["model", "seed", "snapshot"];

/** Returns the relation of a node or source, such as `shop.main.orders`. `undefined` if it has none. */
export function relationOf(node: JsonObject, kind: string): string | undefined {
  if (kind !== "source" && !WRITERS.includes(kind)) return undefined;
  const table = textOf(node["identifier"]) || textOf(node["alias"]) || textOf(node["name"]);
  if (table === "" || objectOf(node["config"])["materialized"] === "ephemeral") return undefined;
  return [textOf(node["database"]), textOf(node["schema"]), table].filter((part) => part !== "").join(".");
}

/** Returns the columns that the project documents. */
export function fieldsOf(node: JsonObject): readonly DatasetField[] {
  return Object.values(objectOf(node["columns"])).flatMap((column: Json | undefined) => {
    if (!isJsonObject(column) || textOf(column["name"]) === "") return [];
    const [type, description] = [textOf(column["data_type"]), textOf(column["description"])];
    const more = omitUndefined({ type: type || undefined, description: description || undefined });
    return [{ name: textOf(column["name"]), ...more }];
  });
}

/** Returns nothing if the names cannot be recorded: the outcome of a node does not depend on them. */
export function datasetsOf(manifest: Manifest, node: ManifestNode, rows: number | null): DatasetUses {
  const use = ({ relation, fields }: ManifestNode): DatasetUse => ({
    name: relation!,
    namespace: manifest.adapter,
    ...(fields.length > 0 && { fields }),
  });
  const reads = manifest.relationsAbove(node.uniqueId).slice(0, MAX_DATASETS).map(use).map(withoutFields);
  const written = node.relation === undefined ? [] : [use(node)];
  const writes = written.map((dataset) => (rows === null || rows < 0 ? dataset : { ...dataset, rows }));
  const candidates = [
    { reads, writes },
    { reads, writes: writes.map(withoutFields) },
  ];
  return candidates.find((uses) => datasetUsesFault(uses) === undefined) ?? {};
}

function withoutFields({ fields: _, ...use }: DatasetUse): DatasetUse {
  return use;
}
