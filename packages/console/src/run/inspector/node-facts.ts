/** Reads the events of an inner step, such as a node of a dbt project. */
import type { RunEvent } from "@runledger/client";
import { readEvent, type ArtifactRef, type ReadEvent } from "@runledger/contracts";
import { duration } from "../../ui/format.js";

const COMPILED_SQL = "dbt-compiled-sql";

export interface NodeFacts {
  /** Pairs of a name and a value, in the order in which they are shown. */
  readonly facts: readonly (readonly [name: string, value: string])[];
  /** `null` if the node has none, such as a seed. */
  readonly sql: ArtifactRef | null;
  /** The node is a test that found rows. */
  readonly hasFailures: boolean;
}

interface NodeOutput {
  readonly status?: string;
  readonly message?: string;
  readonly seconds?: number;
  readonly rowsAffected?: number;
  readonly failures?: number;
}

/** Describes the last attempt. */
export function nodeFacts(events: readonly RunEvent[], kind: string): NodeFacts {
  const ended = events.findLast(({ eventType }) => eventType !== "StepStarted");
  const read = ended === undefined ? undefined : readEvent(ended);
  const { status, message, seconds, rowsAffected, failures } = outputOf(read);
  const found = failures ?? (read?.eventType === "StepFailed" ? rowsIn(message) : undefined);
  const facts = [
    ["Kind", kind],
    ["Status", status],
    ["Duration", seconds === undefined ? durationOf(events, ended) : duration(seconds * 1000)],
    ["Rows affected", rowsAffected?.toLocaleString("en")],
    ["Failing rows", found?.toLocaleString("en")],
    ["Message", message],
  ] as const;
  const artifacts =
    read?.eventType === "StepCompleted" || read?.eventType === "StepFailed" ? (read.eventData.artifacts ?? []) : [];
  return {
    facts: facts.flatMap(([name, value]) => (value === undefined || value === "" ? [] : [[name, value] as const])),
    sql: artifacts.findLast((artifact) => artifact.kind === COMPILED_SQL) ?? null,
    hasFailures: kind === "test" && (found ?? 0) > 0,
  };
}

function outputOf(read: ReadEvent | undefined): NodeOutput {
  if (read?.eventType === "StepCompleted") return (read.eventData.output ?? {}) as NodeOutput;
  if (read?.eventType === "StepFailed") return { status: "failed", message: read.eventData.error.message };
  return read?.eventType === "StepSkipped" ? { status: "skipped", message: read.eventData.culprit ?? "" } : {};
}

/** dbt reports `Got 3 results, configured to fail if != 0`. */
function rowsIn(message: string | undefined): number | undefined {
  const [, rows] = /^Got (\d+) results?,/.exec(message ?? "") ?? [];
  return rows === undefined ? undefined : Number(rows);
}

function durationOf(events: readonly RunEvent[], ended: RunEvent | undefined): string | undefined {
  const started = events.findLast(({ eventType }) => eventType === "StepStarted");
  if (started === undefined || ended === undefined) return undefined;
  return duration(Date.parse(ended.emittedAt) - Date.parse(started.emittedAt));
}
