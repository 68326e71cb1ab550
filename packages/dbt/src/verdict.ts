/** Decides whether an attempt succeeded. Everything that is not proven to be a success is a failure with its own code. */
import type { InnerSteps } from "@runledger/runtime/engine/runners/runner";
import type { Exit } from "@runledger/runtime/engine/runners/process-group";
import { classify, dbtError, isRetried, type DbtCode } from "./errors.js";
import { differences } from "./judge.js";
import type { Manifest } from "./manifest.js";
import type { Remaining } from "./remaining.js";
import type { RunResults } from "./run-results.js";
import { outcomeOf } from "./statuses.js";
import type { DbtStream } from "./stream.js";

interface Ended {
  readonly exit: Exit;
  readonly stream: DbtStream;
  /** Status of every finished node in the stream. */
  readonly statuses: ReadonlyMap<string, string>;
  readonly results: RunResults | null;
  readonly manifest: Manifest | null;
  /** Nodes that were selected one by one. `null` if dbt selected them. */
  readonly expected: readonly string[] | null;
}

/** Throws unless dbt ran to its end and all its reports agree. Nodes may have failed. */
export function assertSound(ended: Ended): void {
  const { exit, stream, statuses } = ended;
  const details = stream.errors === "" ? "" : `\n${stream.errors}`;
  if (classify(stream.errors, "DBT_FAILED") === "DBT_DISK_FULL")
    throw dbtError("DBT_DISK_FULL", `dbt could not write: the disk is full. Free space, then retry the run.${details}`);
  if (exit.signal !== null)
    throw dbtError("DBT_KILLED", `dbt was ended by ${exit.signal} before it finished.${details}`);
  const isIncomplete = stream.success === null || stream.damaged > 0;
  if (isIncomplete && (exit.code === 0 || statuses.size > 0))
    throw dbtError("DBT_STREAM_TRUNCATED", truncated(ended) + details);
  const hasFailed = [...statuses.values()].some((status) => outcomeOf(status) === "failed");
  if (exit.code !== 0 && !hasFailed && stream.errors !== "")
    throw dbtError(classify(stream.errors, "DBT_FAILED"), `dbt ended with exit code ${exit.code}.${details}`);
  assertAgreement(ended);
  if (statuses.size === 0)
    throw dbtError("DBT_NOTHING_SELECTED", 'dbt selected no node. Correct the options "select" and "exclude".');
}

function truncated({ exit, stream: { damaged } }: Ended): string {
  const what = damaged > 0 ? `contains ${damaged} damaged lines` : "ended before dbt reported the end of its command";
  return `The event stream of dbt ${what}. Its exit code is ${exit.code}.`;
}

function assertAgreement({ exit, stream, statuses, results, manifest, expected }: Ended): void {
  const { invocationId, success, announced } = stream;
  const found = differences({ exit, invocationId, success, announced, statuses, results, expected });
  if (found.length > 0)
    throw dbtError("DBT_RESULTS_MISMATCH", `The reports of dbt differ.\n${found.slice(0, 20).join("\n")}`);
  const unknown = [...statuses.keys()].filter((name) => manifest?.nodes.has(name) !== true);
  if (statuses.size === 0 || (unknown.length === 0 && manifest?.invocationId === invocationId)) return;
  const what = unknown.length > 0 ? `does not contain ${unknown[0]}` : "belongs to another invocation of dbt";
  throw dbtError("DBT_MANIFEST_MISMATCH", `manifest.json ${what}. Give every dbt process its own target folder.`);
}

/** Throws if a node failed, in this attempt or in an earlier one that this one did not repeat. */
export function assertSucceeded(
  inner: InnerSteps,
  left: Remaining | null,
  failedNow: ReadonlyMap<string, DbtCode>,
): void {
  const before = (left?.failed ?? []).map((name) => [name, codeOf(inner, name)] as const);
  const failed = new Map([...before, ...failedNow]);
  if (failed.size === 0) return;
  const retried = [...failed].find(([, code]) => isRetried(code));
  const [culprit, code] = retried ?? [...failed][0]!;
  inner.blame(culprit);
  const names = [...failed.keys()];
  const more = names.length > 5 ? ` and ${names.length - 5} more` : "";
  throw dbtError(
    code,
    `${names.length} ${names.length === 1 ? "node" : "nodes"} failed: ${names.slice(0, 5).join(", ")}${more}.`,
  );
}

function codeOf(inner: InnerSteps, name: string): DbtCode {
  return (inner.recorded(name)?.error?.code ?? "DBT_NODE_FAILED") as DbtCode;
}
