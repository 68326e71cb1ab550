import type { RetentionPolicy } from "@runledger/contracts";
import type { Tables } from "./tables.js";

export interface RetentionTables {
  /** By kind, tenant and workflow. */
  readonly policies: Map<string, RetentionPolicy>;
  /** Runs that are set aside, with the version of the projection they had. */
  readonly held: Map<string, number>;
  /** Deleted runs whose start keys are kept. */
  readonly deleted: Map<string, { readonly tenantId: string; readonly at: number }>;
}

export function emptyRetention(): RetentionTables {
  return { policies: new Map(), held: new Map(), deleted: new Map() };
}

export function isDeleted(tables: Tables, runId: string): boolean {
  return tables.retention.deleted.has(runId) && !tables.runs.has(runId);
}
