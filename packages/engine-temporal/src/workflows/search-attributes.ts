/** Shows operators of the cluster which run an execution belongs to, with the search attributes that its namespace defines. */
import type { RunState } from "@runledger/core";
import { upsertSearchAttributes, workflowInfo } from "@temporalio/workflow";
import type { SearchAttribute } from "../messages.js";

/** Sends changed values only, because each call is a Temporal action. Continue-as-new keeps the values. */
export function showRun(defined: readonly SearchAttribute[], state: RunState): void {
  if (defined.length === 0) return;
  const { typedSearchAttributes: shown } = workflowInfo();
  const values = valuesOf(state);
  const changed = defined
    .map((name) => ({ key: { name, type: "KEYWORD" } as const, value: values[name] }))
    .filter(({ key, value }) => value !== undefined && shown.get(key) !== value);
  if (changed.length > 0) upsertSearchAttributes(changed as { key: (typeof changed)[0]["key"]; value: string }[]);
}

function valuesOf({ status, details }: RunState): Readonly<Record<SearchAttribute, string | undefined>> {
  return { RunledgerWorkflow: details.planId, RunledgerTenant: details.tenantId, RunledgerStatus: status };
}
