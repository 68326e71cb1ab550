/** Finished runs by workflow and completion, for retention. Written with the projection. */
import type { RunHeader } from "@runledger/contracts";
import { isTerminal } from "@runledger/core";
import type { WriteAction } from "./actions.js";
import { keyText, type Key } from "./table.js";

export interface Finished {
  readonly runId: string;
  readonly tenantId: string;
  readonly workflowId: string;
  readonly completedAt: string;
  readonly archived: boolean;
}

/** `null` if the run has not finished. */
export function finishedOf(header: RunHeader, tenantId: string, archived: boolean): Finished | null {
  if (!isTerminal(header.status)) return null;
  const completedAt = "completedAt" in header ? header.completedAt : "";
  return { runId: header.runId, tenantId, workflowId: header.planId ?? "", completedAt, archived };
}

export const duePartition = (tenantId: string, workflowId: string): string => `DUE#${tenantId}|${keyText(workflowId)}`;

export function dueKey({ tenantId, workflowId, archived, completedAt, runId }: Finished): Key {
  return { pk: duePartition(tenantId, workflowId), sk: `${archived ? "1" : "0"}|${completedAt}|${runId}` };
}

/** The partition of the list of workflows. */
export const GROUPS = "GROUPS";

/** The list of workflows that have, or had, finished runs. */
export const groupKey = ({ tenantId, workflowId }: Pick<Finished, "tenantId" | "workflowId">): Key => ({
  pk: GROUPS,
  sk: `${tenantId}|${keyText(workflowId)}`,
});

export function dueActions(before: Finished | null, after: Finished | null): WriteAction[] {
  const [old, key] = [before && dueKey(before), after && dueKey(after)];
  if (old !== null && key !== null && old.pk === key.pk && old.sk === key.sk) return [];
  return [
    ...(old === null ? [] : [{ kind: "delete", key: old } as const]),
    ...(key === null ? [] : [{ kind: "put", item: dueItem(key, after!) } as const]),
  ];
}

const dueItem = (key: Key, { runId, completedAt }: Finished) => ({ ...key, runId, completedAt });
