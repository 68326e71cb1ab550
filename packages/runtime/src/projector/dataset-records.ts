/** Finds the datasets that completed steps have read and written, for the index of datasets. */
import {
  datasetName,
  datasetUsesFault,
  omitUndefined,
  readEventData,
  type CanonicalEngineEvent,
  type DatasetAccess,
  type DatasetRecord,
  type DatasetUse,
  type DatasetUses,
} from "@runledger/contracts";
import { toRunHeader, type RunState } from "@runledger/core";

/** `state` is the run after the events. Skips the steps that a fork has kept: they ran in its origin. */
export function datasetRecords(state: RunState, events: readonly CanonicalEngineEvent[]): DatasetRecord[] {
  return events.flatMap((event) => {
    if (event.eventType !== "StepCompleted" || event.stepId === undefined) return [];
    const { datasets, kept } = readEventData("StepCompleted", event.eventData);
    if (datasets === undefined || kept !== undefined || datasetUsesFault(datasets) !== undefined) return [];
    return recordsOf(toRunHeader(state).planId ?? "", event, datasets);
  });
}

function recordsOf(
  planId: string,
  event: CanonicalEngineEvent,
  { reads = [], writes = [] }: DatasetUses,
): DatasetRecord[] {
  const { runId, stepId = "", logicalAttemptId: attempt = "1", emittedAt, persistedAt: at = emittedAt } = event;
  const recordOf = (use: DatasetUse, access: DatasetAccess): DatasetRecord => {
    const { rows, bytes, fields, freshForMs } = use;
    const details = omitUndefined({ rows, bytes, fields, freshForMs });
    return { ...datasetName(use), access, planId, runId, stepId, attempt, at, details };
  };
  return [...reads.map((use) => recordOf(use, "read")), ...writes.map((use) => recordOf(use, "write"))];
}
