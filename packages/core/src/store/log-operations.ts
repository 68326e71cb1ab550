import type { CanonicalEngineEvent, RunHead, RunSnapshot } from "@runledger/contracts";
import type { SendBatch } from "./coalescer.js";

/** Undefined for every tenant. Otherwise runs of other tenants do not exist. */
/** `undefined` if the caller may see the runs of all tenants. */
export type Tenant = string | undefined;

export interface FetchParams {
  readonly runId: string;
  readonly afterSeq: number;
  /** Inclusive. */
  readonly toSeq: number;
  readonly limit: number;
  readonly tenantId: Tenant;
}

/** Implemented by the backend. Arguments are already checked and defaults filled in. */
export interface LogOperations {
  readonly send: SendBatch;
  /** `false` if numbers may be missing from a log that has lost nothing (P10). Defaults to `true`. */
  readonly contiguous?: boolean;
  /** Ascending by runSeq. */
  fetchEvents(params: FetchParams): Promise<CanonicalEngineEvent[]>;
  /**
   * Streams without a limit, if the backend can do it in one query and in constant memory. Absent if pages are read
   * instead.
   */
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
