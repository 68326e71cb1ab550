import type { KnownWorker, RunCounts, StoredArtifact } from "@runledger/contracts";

/** The lists of workflows, workers and artifacts that commands need. */
export interface CatalogBackend {
  listWorkflows(): Promise<readonly ListedWorkflow[]>;
  listWorkers(): Promise<readonly ListedWorker[]>;
  listArtifacts(runId: string, stepId: string | undefined): Promise<readonly ListedArtifact[]>;
  readArtifact(runId: string, artifactId: string): Promise<AsyncIterable<Uint8Array>>;
}

export interface ListedWorkflow {
  readonly workflowId: string;
  /** The version that was published last. */
  readonly version: string;
  readonly publishedAt: string;
  readonly versionCount: number;
  readonly counts: RunCounts;
}

export interface ListedWorker extends Omit<KnownWorker, "seenAt"> {
  readonly alive: boolean;
  /** `null` if unknown. */
  readonly lastHeartbeatAt: string | null;
  readonly runs: readonly { readonly runId: string; readonly planId: string; readonly planVersion: string }[];
}

export type ListedArtifact = Omit<StoredArtifact, "runId"> & { readonly artifactId: string };
