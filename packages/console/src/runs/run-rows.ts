/**
 * The rows of the list: loaded pages, merged with updates from the stream. Rows do not move while the user reads the list:
 * new runs are held back until the user asks for them, and runs that no longer match the filter stay, marked as gone.
 */
import type { RunListMessage, RunSummary } from "@runledger/client";

export interface RunRow {
  readonly run: RunSummary;
  /** The run no longer matches the filter. */
  readonly isGone: boolean;
  /** The run was just added and is animated. */
  readonly isNew: boolean;
}

export interface RunRows {
  readonly byId: ReadonlyMap<string, RunRow>;
  /** New runs that are not shown yet. */
  readonly held: ReadonlyMap<string, RunSummary>;
}

export const noRows: RunRows = { byId: new Map(), held: new Map() };

/** Merges a loaded page. Updates from the stream may be newer than the page and are kept. */
export function withPage(rows: RunRows, runs: readonly RunSummary[]): RunRows {
  const byId = new Map(rows.byId);
  for (const run of runs) {
    const known = byId.get(run.runId);
    if (known === undefined || known.run.lastEventSeq < run.lastEventSeq)
      byId.set(run.runId, { run, isGone: false, isNew: false });
  }
  const held = new Map([...rows.held].filter(([runId]) => !byId.has(runId)));
  return { byId, held };
}

export function withUpdate(rows: RunRows, message: RunListMessage, isReading: boolean): RunRows {
  const byId = new Map(rows.byId);
  const held = new Map(rows.held);
  for (const run of message.runs) {
    if (byId.has(run.runId)) byId.set(run.runId, { run, isGone: false, isNew: byId.get(run.runId)!.isNew });
    else if (message.type === "change" && isReading) held.set(run.runId, run);
    else byId.set(run.runId, { run, isGone: false, isNew: message.type === "change" });
  }
  for (const runId of message.gone) {
    held.delete(runId);
    const row = byId.get(runId);
    if (row !== undefined && isReading) byId.set(runId, { ...row, isGone: true });
    else byId.delete(runId);
  }
  return { byId, held };
}

/** Shows the held runs and removes those that no longer match. */
export function released({ byId, held }: RunRows): RunRows {
  const kept = [...byId].filter(([, { isGone }]) => !isGone);
  const fresh = [...held].map(([runId, run]) => [runId, { run, isGone: false, isNew: true }] as const);
  return { byId: new Map([...kept, ...fresh]), held: new Map() };
}

/** Newest first, in the order of the server. */
export function inOrder({ byId }: RunRows): readonly RunRow[] {
  return [...byId.values()].sort(
    ({ run: a }, { run: b }) => compare(b.createdAt, a.createdAt) || compare(b.runId, a.runId),
  );
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
