/** Reads and writes `run_results.json`. dbt selects nodes by the results of such a file. */
import { lstatSync, readFileSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Json, JsonObject } from "@runledger/contracts";
import { objectOf, textOf } from "./events.js";

const FILE = "run_results.json";
const SCHEMA = "https://schemas.getdbt.com/dbt/run-results/v6.json";

export interface RunResults {
  readonly invocationId: string;
  /** Status by node. */
  readonly statuses: ReadonlyMap<string, string>;
  /** Status by hook. The stream does not report hooks as nodes. */
  readonly hooks: ReadonlyMap<string, string>;
}

/** Returns `true` if dbt has written this file. Anything else, such as a device, is not read. */
export function isWritten(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

/** Returns `null` if the file is missing or is not JSON. */
export function readRunResults(target: string): RunResults | null {
  const path = join(target, FILE);
  if (!isWritten(path)) return null;
  try {
    const content = JSON.parse(readFileSync(path, "utf8")) as JsonObject;
    const results = Array.isArray(content["results"]) ? (content["results"] as readonly Json[]) : [];
    const statuses = results.map((result) => {
      const { unique_id: uniqueId, status } = objectOf(result);
      return [textOf(uniqueId), textOf(status)] as const;
    });
    return {
      invocationId: textOf(objectOf(content["metadata"])["invocation_id"]),
      statuses: new Map(statuses.filter(([name]) => !isHook(name))),
      hooks: new Map(statuses.filter(([name]) => isHook(name))),
    };
  } catch {
    return null;
  }
}

export function isHook(uniqueId: string): boolean {
  return uniqueId.startsWith("operation.");
}

/** The arguments that select exactly the nodes of `writeSelection`. Names could match other nodes, too. */
export function selectWritten(folder: string): readonly string[] {
  return ["--select", "result:error", "--state", folder, "--indirect-selection", "empty"];
}

/** Writes the nodes into a folder as results that failed. */
export async function writeSelection(folder: string, uniqueIds: readonly string[]): Promise<void> {
  const results = uniqueIds.map((uniqueId) => ({ ...NO_RESULT, unique_id: uniqueId }));
  const content = { metadata: { dbt_schema_version: SCHEMA }, args: {}, elapsed_time: 0, results };
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, FILE), JSON.stringify(content));
}

const NO_RESULT = {
  status: "error",
  timing: [],
  thread_id: "",
  execution_time: 0,
  adapter_response: {},
  message: null,
  failures: null,
  compiled: null,
  compiled_code: null,
  relation_name: null,
};
