/** Reads the lines that dbt prints with `--log-format json`. */
import { isJsonObject, type Json, type JsonObject } from "@runledger/contracts";

export interface DbtEvent {
  readonly name: string;
  readonly level: string;
  readonly message: string;
  readonly invocationId: string;
  readonly data: JsonObject;
}

/** Returns `null` if the line is not an event. */
export function parseEvent(line: string): DbtEvent | null {
  const { info, data } = objectOf(parsed(line));
  const { name, level, msg, invocation_id: invocationId } = objectOf(info);
  if (typeof name !== "string") return null;
  return {
    name,
    level: textOf(level),
    message: textOf(msg),
    invocationId: textOf(invocationId),
    data: objectOf(data),
  };
}

/** The result of a node, as the stream and `run_results.json` report it. */
export interface NodeResult {
  readonly uniqueId: string;
  readonly status: string;
  readonly message: string;
  readonly seconds: number;
  /** `null` if the warehouse did not report it. */
  readonly rowsAffected: number | null;
  /** Number of failing rows of a test. */
  readonly failures: number;
}

export interface StartedNode {
  readonly uniqueId: string;
  readonly kind: string;
  readonly checksum: string;
}

export function startedNode({ data }: DbtEvent): StartedNode {
  const info = objectOf(data["node_info"]);
  return {
    uniqueId: textOf(info["unique_id"]),
    kind: textOf(info["resource_type"]),
    checksum: textOf(info["node_checksum"]),
  };
}

export function finishedNode({ data }: DbtEvent): NodeResult {
  const result = objectOf(data["run_result"]);
  return {
    uniqueId: textOf(objectOf(data["node_info"])["unique_id"]),
    status: textOf(result["status"]),
    message: textOf(result["message"]),
    seconds: numberOf(result["execution_time"]) ?? 0,
    rowsAffected: numberOf(objectOf(result["adapter_response"])["rows_affected"]),
    failures: numberOf(result["num_failures"]) ?? 0,
  };
}

export function objectOf(value: Json | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}

export function textOf(value: Json | undefined): string {
  return typeof value === "string" ? value : "";
}

function numberOf(value: Json | undefined): number | null {
  return typeof value === "number" ? value : null;
}

function parsed(line: string): Json | undefined {
  try {
    return JSON.parse(line) as Json;
  } catch {
    return undefined;
  }
}
