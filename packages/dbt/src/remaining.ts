/** Determines from the ledger which nodes another attempt runs. */
import type { StepRow } from "@runledger/contracts";
import { dbtError } from "./errors.js";
import type { Manifest } from "./manifest.js";
import type { DbtCommand } from "./options.js";
import { isHook } from "./run-results.js";

export interface Remaining {
  /** Nodes to run, without those that are done. */
  readonly run: readonly string[];
  /** Nodes that failed for a reason that a retry does not remove. They keep their result until an operator resets them. */
  readonly failed: readonly string[];
  /** Nodes that do not run because of these, and that no attempt has recorded as skipped. */
  readonly blocked: readonly string[];
  /** `true` if the project has hooks. Nothing shows whether they ran to their end. */
  readonly hasHooks: boolean;
  /** Number of nodes that are done. */
  readonly done: number;
}

/** The kinds of nodes that a command runs. */
const KINDS: Readonly<Record<DbtCommand, readonly string[]>> = {
  build: ["model", "test", "unit_test", "seed", "snapshot", "function"],
  run: ["model", "function"],
  test: ["test", "unit_test"],
  seed: ["seed"],
  snapshot: ["snapshot"],
};

/** Returns those of the selected nodes that the command runs. */
export function plannedNodes(manifest: Manifest, selected: readonly string[], command: DbtCommand): readonly string[] {
  return selected.filter((uniqueId) => {
    const node = manifest.nodes.get(uniqueId);
    return node !== undefined && KINDS[command].includes(node.kind) && !node.isEphemeral;
  });
}

/** A node below a failed one does not run either: it would read a table that is missing or out of date. */
export function remainingNodes(
  manifest: Manifest,
  planned: readonly string[],
  recorded: (uniqueId: string) => StepRow | undefined,
): Remaining {
  const done = planned.filter((uniqueId) => recorded(uniqueId)?.status === "SUCCESS");
  assertUnchanged(manifest, done, recorded);
  const failed = planned.filter((uniqueId) => recorded(uniqueId)?.error?.retryable === false);
  const isBlocked = manifest.blockedBy(failed);
  const isSettled = new Set([...done, ...failed]);
  const open = planned.filter((uniqueId) => !isSettled.has(uniqueId));
  return {
    run: open.filter((uniqueId) => !isBlocked.has(uniqueId)),
    failed,
    blocked: open.filter((uniqueId) => isBlocked.has(uniqueId) && recorded(uniqueId)?.status !== "SKIPPED"),
    hasHooks: [...manifest.nodes.keys()].some(isHook),
    done: done.length,
  };
}

/** Later nodes must not mix the results of two versions of the project. */
function assertUnchanged(
  manifest: Manifest,
  done: readonly string[],
  recorded: (uniqueId: string) => StepRow | undefined,
): void {
  const changed = done.filter((uniqueId) => {
    const before = recorded(uniqueId)?.opened?.inner?.checksum ?? "";
    return before !== "" && before !== manifest.nodes.get(uniqueId)?.checksum;
  });
  if (changed.length === 0) return;
  const message = `${changed.slice(0, 5).join(", ")} changed after completing in this run.`;
  throw dbtError(
    "DBT_MANIFEST_MISMATCH",
    `${message} Start a new run, or restore the version that the run started with.`,
  );
}
