import type { DatasetUses } from "./datasets.js";
import type { Json } from "./json.js";

/** A reference to bytes that are stored outside the log. */
export interface ArtifactRef {
  /** `s3://…`, `gs://…`, `azure://…`, or `store://…` for an artifact in the store itself. */
  readonly uri: string;
  /** The kind of content: `log-bundle`, `dbt-manifest`, … */
  readonly kind: string;
  readonly sha256?: string;
  readonly sizeBytes?: number;
  /**
   * ISO 8601. From then on a policy deletes the content, once no run needs it. Lists of artifacts have it; references in events
   * do not, because policies change. Absent if the artifact is kept until its run is deleted.
   */
  readonly expiresAt?: string;
}

/** The result of one attempt of a step, as its runner returns it to the engine (D10). */
export interface StepOutput {
  readonly status: "SUCCESS" | "FAILED" | "SKIPPED";
  /** Value for the steps that need this one. Absent if there is none. */
  readonly output?: Json;
  readonly artifactRefs: readonly ArtifactRef[];
  /** Datasets that the attempt has read and written, in addition to those that the step declares. */
  readonly datasets?: DatasetUses;
  /** The error of a failed attempt, or the reason why the step was skipped. */
  readonly error?: {
    /** Recorded as the code of the error if it has no `code`. */
    readonly category: string;
    readonly code?: string;
    readonly message: string;
    /** `false` if a retry cannot help. Default: the step's retry policy decides. */
    readonly retryable?: boolean;
  };
}
