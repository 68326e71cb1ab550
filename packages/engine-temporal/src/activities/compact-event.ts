/** Removes from events and states what only steps and readers need, before it enters Temporal's history (T2). */
import type { CanonicalEngineEvent, JsonObject, Opened, StepRow } from "@runledger/contracts";
import { toRunHeader, toRunState, type RunState } from "@runledger/core";

const LEFT_OUT = [
  "input",
  "state",
  "output",
  "outputArtifact",
  "patch",
  "artifacts",
  "payload",
  "stack",
  "cause",
  "labels",
];

export function compactEvent(event: CanonicalEngineEvent): CanonicalEngineEvent {
  return { ...event, eventData: compactData(event.eventData as JsonObject) };
}

function compactData(data: JsonObject): JsonObject {
  const kept = Object.entries(data).filter(([name]) => !LEFT_OUT.includes(name));
  return Object.fromEntries(
    kept.map(([name, value]) => [name, name === "opened" ? withoutItems(value as JsonObject) : value]),
  );
}

/** Steps read the items of a `forEach` from the ledger. The workflow needs only their count. */
function withoutItems({ items: _, ...opened }: JsonObject): JsonObject {
  return opened;
}

export function compactState(state: RunState): RunState {
  const { rows, completed } = state.steps.parts();
  const { details } = state;
  const header = toRunHeader({ ...state, userState: undefined, details: { ...details, artifacts: [] } });
  return toRunState(header, rows.map(compactRow), completed);
}

function compactRow(row: StepRow): StepRow {
  if (row.opened?.items === undefined) return row;
  const { items: _, ...opened }: Opened = row.opened;
  return { ...row, opened };
}
