import type { CanonicalEngineEvent, RunHead, RunSnapshot } from "@runledger/contracts";
import type { SendBatch } from "./coalescer.js";

/** Undefined = every tenant's; otherwise another tenant's run is absent. */
type Tenant = string | undefined;

export interface FetchParams {
  readonly runId: string;
  readonly afterSeq: number;
  /** Inclusive. */
  readonly toSeq: number;
  readonly limit: number;
  readonly tenantId: Tenant;
}

/** What a backend does itself. Arguments are checked and defaults filled in by the time they get here. */
export interface LogOperations {
  readonly send: SendBatch;
  /** Ascending by runSeq. */
  fetchEvents(params: FetchParams): Promise<CanonicalEngineEvent[]>;
  /** The same without a limit, where the backend can do it in one go and in flat memory. Absent = page by page. */
  streamEvents?(params: Omit<FetchParams, "limit">): AsyncIterable<CanonicalEngineEvent>;
  /** Ascending by runSeq. */
  fetchByKeys(params: {
    readonly runId: string;
    readonly keys: readonly string[];
    readonly tenantId: Tenant;
  }): Promise<CanonicalEngineEvent[]>;
  /** Ascending by runId. */
  fetchHeads(params: { readonly runIds: readonly string[]; readonly tenantId: Tenant }): Promise<RunHead[]>;
  /** Ascending by runId. */
  listHeads(params: {
    readonly afterRunId: string;
    readonly limit: number;
    readonly archived: boolean;
    readonly tenantId: Tenant;
  }): Promise<RunHead[]>;
  getSnapshot(params: { readonly runId: string; readonly tenantId: Tenant }): Promise<RunSnapshot | null>;
}
