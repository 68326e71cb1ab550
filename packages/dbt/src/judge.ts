/**
 * Compares the three reports of one dbt process: its exit code, its event stream and `run_results.json`. A step succeeds only
 * if they agree.
 */
import type { Exit } from "@runledger/runtime/engine/runners/process-group";
import type { RunResults } from "./run-results.js";
import { outcomeOf } from "./statuses.js";

export interface Reports {
  readonly exit: Exit;
  /** The id of the invocation in the stream. */
  readonly invocationId: string;
  /** `null` if the stream does not report the end of the command. */
  readonly success: boolean | null;
  /** Status of every finished node in the stream. */
  readonly statuses: ReadonlyMap<string, string>;
  /** Number of nodes that dbt announced. `null` if it announced none. */
  readonly announced: number | null;
  readonly results: RunResults | null;
  /** Nodes that were selected one by one. `null` if dbt selected them. */
  readonly expected: readonly string[] | null;
}

/** Returns a sentence per difference. */
export function differences(reports: Reports): readonly string[] {
  const { results, statuses } = reports;
  if (results === null) return statuses.size === 0 ? [] : ["dbt ran nodes, but wrote no readable run_results.json."];
  return [
    ...ofInvocation(reports, results),
    ...ofNodes(statuses, results),
    ...ofCounts(reports),
    ...ofExit(reports),
    ...ofHooks(reports, results),
  ];
}

function ofInvocation({ invocationId }: Reports, results: RunResults): readonly string[] {
  if (results.invocationId === invocationId) return [];
  return [`run_results.json belongs to invocation ${results.invocationId}, the stream to ${invocationId}.`];
}

function ofNodes(stream: ReadonlyMap<string, string>, { statuses }: RunResults): readonly string[] {
  const names = new Set([...stream.keys(), ...statuses.keys()]);
  return [...names].flatMap((name) => {
    const [one, other] = [stream.get(name) ?? "missing", statuses.get(name) ?? "missing"];
    return one === other ? [] : [`${name} is ${one} in the stream and ${other} in run_results.json.`];
  });
}

function ofCounts({ announced, statuses, expected }: Reports): readonly string[] {
  const missing = (expected ?? [])
    .filter((name) => !statuses.has(name))
    .map((name) => `${name} was selected, but did not run.`);
  if (announced === null || announced === statuses.size) return missing;
  return [...missing, `dbt announced ${announced} nodes and finished ${statuses.size}.`];
}

function ofHooks({ exit }: Reports, { hooks }: RunResults): readonly string[] {
  const failed = [...hooks].filter(([, status]) => outcomeOf(status) !== "done");
  return exit.code === 0
    ? failed.map(([name, status]) => `The exit code is 0, but the hook ${name} is ${status}.`)
    : [];
}

function ofExit({ exit, success, statuses }: Reports): readonly string[] {
  const unsuccessful = [...statuses].filter(([, status]) => outcomeOf(status) !== "done").map(([name]) => name);
  const found: string[] = [];
  if (success !== null && success !== (exit.code === 0))
    found.push(`The exit code is ${exit.code}, but the stream reports ${success ? "success" : "failure"}.`);
  if (exit.code === 0 && unsuccessful.length > 0)
    found.push(`The exit code is 0, but ${unsuccessful[0]} did not succeed.`);
  if (exit.code !== 0 && unsuccessful.length === 0 && statuses.size > 0)
    found.push(`The exit code is ${exit.code}, but every node succeeded.`);
  return found;
}
