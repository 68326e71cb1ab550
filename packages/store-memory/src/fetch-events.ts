import type { CanonicalEngineEvent } from "@runledger/contracts";
import type { FetchParams } from "@runledger/core/store";
import { visibleRun, type Tables } from "./tables.js";

export function fetchEvents(tables: Tables, params: FetchParams): CanonicalEngineEvent[] {
  const { runId, afterSeq, toSeq, limit, tenantId } = params;
  const end = Math.min(toSeq, afterSeq + limit);
  return visibleRun(tables, runId, tenantId)?.events.slice(afterSeq, end) ?? [];
}
