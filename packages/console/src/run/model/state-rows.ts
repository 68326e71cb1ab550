import type { StepRow } from "@runledger/contracts";
import type { RunState } from "@runledger/core";

const known = new WeakMap<RunState, readonly StepRow[]>();

/** The steps of a state in their order. They are sorted once for all who ask. */
export function stateRows(state: RunState): readonly StepRow[] {
  const rows = known.get(state) ?? state.steps.rows();
  known.set(state, rows);
  return rows;
}
