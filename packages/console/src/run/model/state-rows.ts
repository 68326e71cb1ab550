import type { StepRow } from "@runledger/contracts";
import type { RunState } from "@runledger/core";

const inner = new WeakMap<RunState, ReadonlyMap<string, readonly StepRow[]>>();

/** Returns the inner steps of a state by the step around them, such as the nodes of a dbt project (D11). Cached. */
export function innerRows(state: RunState): ReadonlyMap<string, readonly StepRow[]> {
  const found = inner.get(state) ?? byContainer(stateRows(state));
  inner.set(state, found);
  return found;
}

function byContainer(rows: readonly StepRow[]): ReadonlyMap<string, readonly StepRow[]> {
  const groups = new Map<string, StepRow[]>();
  for (const row of rows) {
    if (row.opened?.inner === undefined) continue;
    const container = row.stepId.slice(0, row.stepId.lastIndexOf("/"));
    const group = groups.get(container);
    if (group === undefined) groups.set(container, [row]);
    else group.push(row);
  }
  return groups;
}

const known = new WeakMap<RunState, readonly StepRow[]>();

/** Returns the steps of a state in order. The result is cached, because sorting is expensive. */
export function stateRows(state: RunState): readonly StepRow[] {
  const rows = known.get(state) ?? state.steps.rows();
  known.set(state, rows);
  return rows;
}
