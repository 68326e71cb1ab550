import type { ExpiredArtifact, RetentionPolicy } from "@runledger/contracts";
import type { Tables } from "./tables.js";

export interface RetentionTables {
  /** By kind, tenant and workflow. */
  readonly policies: Map<string, RetentionPolicy>;
  /** Runs that are set aside, with the version of the projection they had. */
  readonly held: Map<string, number>;
  /** By address. The content of an artifact in the store is removed at once. */
  readonly expired: Map<string, ExpiredArtifact & { isSwept: boolean }>;
  /** The rules under which the artifacts of a run were checked, and when to check them again. */
  readonly checked: Map<string, { readonly rules: string; readonly at: number }>;
  /** Deleted runs whose start keys are kept. */
  readonly deleted: Map<string, { readonly tenantId: string; readonly at: number }>;
}

export function emptyRetention(): RetentionTables {
  return { policies: new Map(), held: new Map(), expired: new Map(), checked: new Map(), deleted: new Map() };
}

export function isDeleted(tables: Tables, runId: string): boolean {
  return tables.retention.deleted.has(runId) && !tables.runs.has(runId);
}

export function forgetExpired(tables: Tables, runId: string): void {
  const { expired } = tables.retention;
  for (const [uri, artifact] of expired) if (artifact.runId === runId) expired.delete(uri);
}

/** Returns the first of these artifacts that has expired. */
export function expiredOf(tables: Tables, uris: readonly string[]): ExpiredArtifact | undefined {
  return uris.map((uri) => tables.retention.expired.get(uri)).find((artifact) => artifact !== undefined);
}
