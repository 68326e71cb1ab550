import type { ArchiveOutcome, NotArchived } from "@runledger/contracts";
import { evolveAll, initialState, isTerminal } from "@runledger/core";
import { isFollowed } from "./change-feed.js";
import { isAlive, type RunTable, type Tables } from "./tables.js";

/** A1: terminal by the fold at the head, no lease, every follower past the head. */
export function archiveRun(tables: Tables, runId: string): ArchiveOutcome {
  const run = tables.runs.get(runId);
  if (run === undefined) return { runId, archived: false, reason: "absent" };
  const reason = run.archived ? null : reasonToStay(tables, run);
  if (reason !== null) return { runId, archived: false, reason };
  run.archived = true;
  run.leaseOwner = null;
  tables.checkpoints.delete(runId);
  return { runId, archived: true, events: run.events.length };
}

function reasonToStay(tables: Tables, run: RunTable): NotArchived | null {
  const { status } = evolveAll(initialState(run.runId), run.events);
  if (!isTerminal(status)) return "not-terminal";
  if (isAlive(tables, run.leaseOwner)) return "leased";
  return isFollowed(tables, run.runId) ? "followed" : null;
}
