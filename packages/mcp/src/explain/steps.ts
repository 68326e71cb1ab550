import type { RunHeader, StepRow } from "@runledger/contracts";
import { toRunState, type RunState } from "@runledger/core";
import type { McpBackend } from "../backend.js";

const PAGE = 1_000;
const MAX_STEPS = 20_000;

export interface KnownSteps {
  readonly rows: readonly StepRow[];
  /** `false` if the run has more steps. */
  readonly isComplete: boolean;
}

/** Reads up to 20,000 steps of a run. */
export async function readSteps(backend: McpBackend, runId: string): Promise<KnownSteps> {
  const rows: StepRow[] = [];
  for (let more = true; more && rows.length < MAX_STEPS;) {
    const page = await backend.listSteps(runId, { after: rows.at(-1)?.ordinal ?? -1, limit: PAGE });
    rows.push(...page);
    more = page.length === PAGE;
    if (!more) return { rows, isComplete: true };
  }
  return { rows, isComplete: false };
}

/** Restores the state that decisions read, from the run and its steps. */
export function stateOf(run: RunHeader, rows: readonly StepRow[]): RunState {
  return toRunState(run, rows);
}
