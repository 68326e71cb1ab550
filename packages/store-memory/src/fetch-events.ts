import type { CanonicalEngineEvent } from "@runledger/contracts";
import type { FetchParams } from "@runledger/core/store";
import { placeAfter, visibleRun, type Tables } from "./tables.js";

export function fetchEvents(tables: Tables, params: FetchParams): CanonicalEngineEvent[] {
  const { runId, afterSeq, toSeq, limit, tenantId } = params;
  const run = visibleRun(tables, runId, tenantId);
  if (run === undefined) return [];
  const from = placeAfter(run, afterSeq);
  return run.events.slice(from, Math.min(placeAfter(run, toSeq), from + limit));
}
