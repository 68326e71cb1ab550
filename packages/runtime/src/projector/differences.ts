/** Describes how stored data differs from a fold of the log. Each text names the row or field to look at. */
import { isDeepStrictEqual } from "node:util";
import type { Checkpoint, DerivedRun, Projection, StepRow } from "@runledger/contracts";
import { fromCheckpoint, isTerminal, toRunHeader, type RunState } from "@runledger/core";

export function projectionDifferences({ header, steps }: Projection, state: RunState): string[] {
  const rows = new Map(state.steps.rows().map((row) => [row.stepId, plainJson(row)]));
  const wrong = steps.filter((row) => !isDeepStrictEqual(row, rows.get(row.stepId))).map(({ stepId }) => stepId);
  const stored = new Set(steps.map(({ stepId }) => stepId));
  const missing = [...rows.keys()].filter((stepId) => !stored.has(stepId));
  return [
    ...fieldDifferences("header", header, plainJson(toRunHeader(state))),
    ...wrong.map((stepId) => `step ${stepId}: its row differs from the log`),
    ...missing.map((stepId) => `step ${stepId}: its row is missing`),
  ];
}

/** Steps that a checkpoint keeps as ranges have no times (C1); everything else must match. */
export function checkpointDifferences(checkpoint: Checkpoint, state: RunState): string[] {
  const resumed = fromCheckpoint(checkpoint);
  if (resumed === null) return ["checkpoint: wrong format or checksum"];
  const own = new Set(resumed.steps.parts().rows.map(({ stepId }) => stepId));
  const wrong = state.steps.rows().filter((row) => {
    const kept = resumed.steps.get(row.stepId);
    return own.has(row.stepId)
      ? !isDeepStrictEqual(kept, plainJson(row))
      : !isDeepStrictEqual(essence(kept), essence(row));
  });
  return [
    ...fieldDifferences("checkpoint", plainJson(toRunHeader(resumed)), plainJson(toRunHeader(state))),
    ...wrong.map(({ stepId }) => `checkpoint: step ${stepId} differs from the log`),
  ];
}

function essence(row: StepRow | undefined): unknown {
  return row && [row.status, row.logicalAttemptId, row.artifacts, row.opened, row.again, row.budgetFrom, row.culprit];
}

/** A run that our ledger started stays in the queue until it ends. A run recorded for another engine is never queued. */
export function queueDifferences({ place, head }: DerivedRun, state: RunState): string[] {
  const isQueued = !isTerminal(state.status) && (state.ordinals["RunQueued"] ?? 0) > 0;
  if (!isQueued) return place === null ? [] : ["queue: the run is finished or was never queued, but has a row"];
  if (place === null) return ["queue: the row is missing"];
  const { planId, planVersion, logFormat, priority = 0, projectId = "default", concurrencyKey } = state.details;
  const expected = { tenantId: head!.tenantId, planId, planVersion, logFormat, priority, projectId, concurrencyKey };
  return fieldDifferences("queue", { projectId: "default", ...place }, plainJson(expected));
}

/** One text per field that differs. */
export function fieldDifferences(what: string, stored: unknown, expected: unknown): string[] {
  if (isDeepStrictEqual(stored, expected)) return [];
  if (!isRecord(stored) || !isRecord(expected)) return [`${what}: ${stored === null ? "missing" : "should not exist"}`];
  const names = [...new Set([...Object.keys(stored), ...Object.keys(expected)])];
  return names
    .filter((name) => !isDeepStrictEqual(stored[name], expected[name]))
    .map((name) => `${what}: ${name} differs from the log`);
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The value as a store returns it. */
export function plainJson<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T;
}
