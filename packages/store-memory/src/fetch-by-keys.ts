import type { CanonicalEngineEvent } from "@runledger/contracts";
import { placeAfter, visibleRun, type Tables } from "./tables.js";

export function fetchByKeys(
  tables: Tables,
  params: { readonly runId: string; readonly keys: readonly string[]; readonly tenantId: string | undefined },
): CanonicalEngineEvent[] {
  const run = visibleRun(tables, params.runId, params.tenantId);
  if (run === undefined) return [];
  const seqs = new Set(params.keys.flatMap((key) => run.seqByKey.get(key) ?? []));
  return [...seqs].sort((a, b) => a - b).map((seq) => run.events[placeAfter(run, seq - 1)]!);
}
