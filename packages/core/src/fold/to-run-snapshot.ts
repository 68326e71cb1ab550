import type { ArtifactRef, RunSnapshot, StepRow, StepSnapshot } from "@runledger/contracts";
import { toRunHeader, toRunState, type RunState } from "./run-state.js";

/** Converts a state to plain, frozen data for readers. */
export function toRunSnapshot(state: RunState): RunSnapshot {
  const rows = state.steps.rows();
  const header = toRunHeader(state);
  const artifacts = state.status === "COMPLETED" ? aggregate(header.artifacts, rows) : header.artifacts;
  return freeze({ ...header, artifacts, steps: rows.map(withoutOrdinal) });
}

/** Restores the state from which `incrementalProject` continues. */
export function fromRunSnapshot(snapshot: RunSnapshot): RunState {
  const { steps, stale: _, ...header } = snapshot;
  return toRunState(
    header,
    steps.map((step, ordinal) => ({ ...step, ordinal })),
  );
}

/** A completed run shows the artifacts of all its steps, each of them once. */
function aggregate(own: readonly ArtifactRef[], rows: readonly StepRow[]): readonly ArtifactRef[] {
  const byUri = new Map<string, ArtifactRef>();
  for (const artifact of [...own, ...rows.flatMap((row) => row.artifacts)]) {
    if (!byUri.has(artifact.uri)) byUri.set(artifact.uri, artifact);
  }
  return [...byUri.values()];
}

function withoutOrdinal({ ordinal: _, ...step }: StepRow): StepSnapshot {
  return step;
}

function freeze<T>(value: T): T {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const part of Object.values(value)) freeze(part);
  return value;
}
