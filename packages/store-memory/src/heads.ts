import type { RunHead } from "@runledger/contracts";
import { headOf, visibleRun, type RunTable, type Tables } from "./tables.js";

export function fetchHeads(
  tables: Tables,
  params: { readonly runIds: readonly string[]; readonly tenantId: string | undefined },
): RunHead[] {
  const runs = [...new Set(params.runIds)].flatMap((runId) => visibleRun(tables, runId, params.tenantId) ?? []);
  return runs.sort(byId).map(toHead);
}

export function listHeads(
  tables: Tables,
  params: {
    readonly afterRunId: string;
    readonly limit: number;
    readonly archived: boolean;
    readonly tenantId: string | undefined;
  },
): RunHead[] {
  const { afterRunId, limit, archived, tenantId } = params;
  const runs = [...tables.runs.values()].filter(
    (run) =>
      compareIds(run.runId, afterRunId) > 0 &&
      (archived || !run.archived) &&
      (tenantId === undefined || run.tenantId === tenantId),
  );
  return runs.sort(byId).slice(0, limit).map(toHead);
}

function toHead(run: RunTable): RunHead {
  const { runId, tenantId, leaseEpoch, leaseOwner, archived } = run;
  const persistedAt = new Date(run.persistedAt).toISOString();
  const settled = run.settledSeq === 0 ? {} : { settledSeq: run.settledSeq };
  return { runId, tenantId, headSeq: headOf(run), ...settled, leaseEpoch, leaseOwner, persistedAt, archived };
}

const byId = (a: RunTable, b: RunTable): number => compareIds(a.runId, b.runId);

/** Compares UTF-8 bytes, as other stores do. JavaScript's own order differs beyond the basic plane. */
export function compareIds(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
