import type { StepRow } from "@runledger/contracts";
import type { RunState } from "@runledger/core";

const known = new WeakMap<RunState, readonly StepRow[]>();

/** Returns the steps of a state in order. The result is cached, because sorting is expensive. */
export function stateRows(state: RunState): readonly StepRow[] {
  const rows = known.get(state) ?? state.steps.rows();
  known.set(state, rows);
  return rows;
}
