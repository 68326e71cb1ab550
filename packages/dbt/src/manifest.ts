/** The graph of a dbt project, from `manifest.json`. */
import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import type { DatasetField, Json, JsonObject } from "@runledger/contracts";
import { objectOf, textOf } from "./events.js";
import { fieldsOf, relationOf } from "./node-datasets.js";

export interface ManifestNode {
  readonly uniqueId: string;
  readonly kind: string;
  readonly checksum: string;
  readonly dependsOn: readonly string[];
  readonly isEphemeral: boolean;
  /** Path of its compiled SQL below the target folder. */
  readonly compiledPath: string;
  /** The table or view, such as `shop.main.orders`. `undefined` if the node writes none. */
  readonly relation: string | undefined;
  /** The documented columns. */
  readonly fields: readonly DatasetField[];
}

export class Manifest {
  readonly invocationId: string;
  /** The kind of warehouse, such as `postgres`. */
  readonly adapter: string;
  readonly nodes: ReadonlyMap<string, ManifestNode>;
  readonly #sources: ReadonlyMap<string, ManifestNode>;
  readonly #children = new Map<string, string[]>();

  constructor(content: JsonObject) {
    const metadata = objectOf(content["metadata"]);
    this.invocationId = textOf(metadata["invocation_id"]);
    this.adapter = textOf(metadata["adapter_type"]) || "dbt";
    const sources = Object.entries(objectOf(content["sources"]));
    this.#sources = new Map(sources.map(([uniqueId, source]) => [uniqueId, nodeOf(uniqueId, objectOf(source))]));
    const parts = ["nodes", "unit_tests", "functions"].map((part) => Object.entries(objectOf(content[part])));
    this.nodes = new Map(parts.flat().map(([uniqueId, node]) => [uniqueId, nodeOf(uniqueId, objectOf(node))]));
    for (const [uniqueId, { dependsOn }] of this.nodes) {
      for (const parent of dependsOn) {
        const known = this.#children.get(parent);
        if (known === undefined) this.#children.set(parent, [uniqueId]);
        else known.push(uniqueId);
      }
    }
  }

  /** Throws if the file is missing or is not JSON. */
  static read(target: string): Manifest {
    return new Manifest(JSON.parse(readFileSync(join(target, "manifest.json"), "utf8")) as JsonObject);
  }

  /** Returns the nodes and everything that depends on them. */
  downstream(uniqueIds: Iterable<string>): ReadonlySet<string> {
    const found = new Set(uniqueIds);
    for (const uniqueId of found) for (const child of this.#children.get(uniqueId) ?? []) found.add(child);
    return found;
  }

  /**
   * Returns the nodes that must not run because these have failed: everything below them, and everything below the nodes
   * that a failed test tests. Like dbt, a test of several nodes blocks only what is below all of them.
   */
  blockedBy(failed: readonly string[]): ReadonlySet<string> {
    const tests = failed.filter((uniqueId) => isTest(this.nodes.get(uniqueId)));
    const gated = tests.flatMap((test) => {
      const [first = [], ...others] = this.parentsOf(test).map((parent) => [...this.#below(parent)]);
      return first.filter((name) => !isTest(this.nodes.get(name)) && others.every((below) => below.includes(name)));
    });
    const blocked = new Set(this.downstream([...failed, ...gated]));
    for (const uniqueId of failed) blocked.delete(uniqueId);
    return blocked;
  }

  #below(uniqueId: string): ReadonlySet<string> {
    const below = new Set(this.downstream([uniqueId]));
    below.delete(uniqueId);
    return below;
  }

  /** Returns the nodes on which a node depends. Replaces ephemeral models, which never run, by their own dependencies. */
  parentsOf(uniqueId: string): readonly string[] {
    const found = new Set<string>();
    const visit = (parent: string): void => {
      const node = this.nodes.get(parent);
      if (node?.isEphemeral === true) node.dependsOn.forEach(visit);
      else if (node !== undefined) found.add(parent);
    };
    this.nodes.get(uniqueId)?.dependsOn.forEach(visit);
    return [...found];
  }

  /** Returns the nodes and sources with a relation that a node reads, directly or through ephemeral models. */
  relationsAbove(uniqueId: string): readonly ManifestNode[] {
    const found = new Map<string, ManifestNode>();
    const visit = (parent: string): void => {
      const node = this.nodes.get(parent) ?? this.#sources.get(parent);
      if (node?.isEphemeral === true) node.dependsOn.forEach(visit);
      else if (node?.relation !== undefined) found.set(parent, node);
    };
    this.nodes.get(uniqueId)?.dependsOn.forEach(visit);
    return [...found.values()];
  }
}

function isTest(node: ManifestNode | undefined): boolean {
  return node?.kind === "test" || node?.kind === "unit_test";
}

function nodeOf(uniqueId: string, node: JsonObject): ManifestNode {
  const [path, file] = [textOf(node["path"]), textOf(node["original_file_path"])];
  const dependsOn = objectOf(node["depends_on"])["nodes"];
  const kind = textOf(node["resource_type"]) || uniqueId.split(".")[0]!;
  return {
    uniqueId,
    kind,
    relation: relationOf(node, kind),
    fields: fieldsOf(node),
    checksum: textOf(objectOf(node["checksum"])["checksum"]),
    dependsOn: Array.isArray(dependsOn) ? (dependsOn as readonly Json[]).map(textOf) : [],
    isEphemeral: objectOf(node["config"])["materialized"] === "ephemeral",
    // The test of a YAML file is in a folder with the name of the YAML file.
    compiledPath: join(
      "compiled",
      textOf(node["package_name"]),
      basename(path) === basename(file) ? file : join(file, path),
    ),
  };
}
