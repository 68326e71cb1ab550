import { ERASED_HASH, eraseEventData, type EraseOutcome, type EraseRequest } from "@runledger/contracts";
import { evolveAll, initialState, isTerminal, toRunHeader } from "@runledger/core";
import { freeze } from "./append-events.js";
import { replaceProjection } from "./derived-data.js";
import { rowsOf } from "./outbox-tables.js";
import { forgetExpired } from "./retention-tables.js";
import type { RunTable, Tables } from "./tables.js";

/** Erases the payloads of a finished run (A6). */
export function eraseRun(tables: Tables, { runId, by, reason }: EraseRequest): EraseOutcome {
  const run = tables.runs.get(runId);
  if (run === undefined) return { runId, erased: false, reason: "absent" };
  if (!isTerminal(evolveAll(initialState(runId), run.events).status))
    return { runId, erased: false, reason: "not-finished" };
  const at = new Date(tables.now()).toISOString();
  const events = eraseEvents(run, { at, by, reason });
  eraseCopies(tables, runId);
  if (events > 0) showErased(tables, run);
  return { runId, erased: true, events };
}

function eraseEvents(run: RunTable, erased: Parameters<typeof eraseEventData>[1]): number {
  let count = 0;
  for (const [index, event] of run.events.entries()) {
    const eventData = eraseEventData(event, erased);
    if (eventData === null) continue;
    run.events[index] = freeze({ ...event, eventData }) as typeof event;
    count++;
  }
  return count;
}

function eraseCopies(tables: Tables, runId: string): void {
  tables.checkpoints.delete(runId);
  for (const [uri, { stored }] of tables.artifacts) if (stored.runId === runId) tables.artifacts.delete(uri);
  forgetExpired(tables, runId);
  for (const [key, start] of tables.starts)
    if (start.runId === runId) tables.starts.set(key, { runId, inputHash: ERASED_HASH });
  for (const number of tables.outbox.deliveries.keys()) {
    const row = rowsOf(tables, number).get(runId);
    if (row !== undefined && row.error !== null) rowsOf(tables, number).set(runId, { ...row, error: "erased" });
  }
}

/** Replaces a stored projection by the fold of the erased log. */
function showErased(tables: Tables, { runId, events }: RunTable): void {
  if (!tables.projections.has(runId)) return;
  const state = evolveAll(initialState(runId), events);
  replaceProjection(tables, { header: toRunHeader(state), steps: state.steps.rows(), keyframes: [] });
}
