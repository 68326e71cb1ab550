/** The content of the journal in memory. Only `applyLine` changes it: after each write, and when a store is opened. */
import type { CanonicalEngineEvent, Checkpoint, RunHead, RunHeader, StepRow } from "@runledger/contracts";

/** One line of the journal, which is one commit. A line is complete or absent, and so is a commit. */
export interface JournalLine {
  readonly appended?: readonly { readonly tenantId: string; readonly events: readonly CanonicalEngineEvent[] }[];
  readonly checkpoints?: readonly Checkpoint[];
  readonly projected?: { readonly header: RunHeader; readonly steps: readonly StepRow[] };
  /** The run whose projection was deleted. */
  readonly unprojected?: string;
}

export interface RunTable {
  readonly tenantId: string;
  /** The event with seq n is at index n - 1. */
  readonly events: CanonicalEngineEvent[];
  readonly byKey: Map<string, CanonicalEngineEvent>;
}

export interface Tables {
  readonly runs: Map<string, RunTable>;
  readonly checkpoints: Map<string, Checkpoint>;
  readonly projections: Map<string, { readonly header: RunHeader; readonly steps: Map<string, StepRow> }>;
}

export function emptyTables(): Tables {
  return { runs: new Map(), checkpoints: new Map(), projections: new Map() };
}

export function applyLine(tables: Tables, line: JournalLine): void {
  for (const { tenantId, events } of line.appended ?? []) for (const event of events) addEvent(tables, tenantId, event);
  for (const checkpoint of line.checkpoints ?? []) tables.checkpoints.set(checkpoint.runId, checkpoint);
  if (line.projected !== undefined) project(tables, line.projected);
  if (line.unprojected !== undefined) tables.projections.delete(line.unprojected);
}

function addEvent(tables: Tables, tenantId: string, event: CanonicalEngineEvent): void {
  const run: RunTable = tables.runs.get(event.runId) ?? { tenantId, events: [], byKey: new Map() };
  tables.runs.set(event.runId, run);
  run.events.push(event);
  run.byKey.set(event.idempotencyKey, event);
}

function project(tables: Tables, { header, steps }: NonNullable<JournalLine["projected"]>): void {
  const rows = tables.projections.get(header.runId)?.steps ?? new Map<string, StepRow>();
  for (const step of steps) rows.set(step.stepId, step);
  tables.projections.set(header.runId, { header, steps: rows });
}

/** Returns the run if the tenant may see it. An undefined tenant sees all runs. */
export function visibleRun(tables: Tables, runId: string, tenantId: string | undefined): RunTable | undefined {
  const run = tables.runs.get(runId);
  return run === undefined || (tenantId !== undefined && run.tenantId !== tenantId) ? undefined : run;
}

export function toHead(runId: string, { tenantId, events }: RunTable): RunHead {
  const persistedAt = events.at(-1)!.persistedAt!;
  return { runId, tenantId, headSeq: events.length, leaseEpoch: 0, leaseOwner: null, persistedAt, archived: false };
}
