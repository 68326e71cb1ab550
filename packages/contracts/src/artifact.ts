/** A pointer to bytes that live outside the log (execution-semantics 2). */
export interface ArtifactRef {
  /** `s3://…`, `gs://…`, `azure://…`, or the store's own home for artifacts. */
  readonly uri: string;
  /** What it is: `log-bundle`, `dbt-manifest`, … */
  readonly kind: string;
  readonly sha256?: string;
  readonly sizeBytes?: number;
  /** ISO 8601; absent = kept until its run is deleted. */
  readonly expiresAt?: string;
}

/** What a step hands back to its engine (execution-semantics 2). */
export interface StepOutput {
  readonly status: "SUCCESS" | "FAILED" | "SKIPPED";
  readonly artifactRefs: readonly ArtifactRef[];
  readonly error?: {
    readonly category: string;
    readonly code?: string;
    readonly message: string;
    readonly retryable?: boolean;
  };
}
