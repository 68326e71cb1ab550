import type { ArtifactRef } from "./artifact.js";
import type { ArtifactPort } from "./artifact-port.js";

/** Prefix of artifacts in the store itself. An id that sorts by time follows it. */
export const STORE_SCHEME = "store://";

/** Maximum size of one chunk. A larger statement would delay the statements next to it. */
export const MAX_CHUNK_BYTES = 1024 * 1024;
/** The first bytes of an encrypted chunk. It contains the name of its key, a nonce and a tag besides its content. */
export const SEALED_CHUNK: readonly number[] = [0x93, 0x52, 0x4c, 0x53, 0x45, 0x41, 0x4c, 0x31];
export const MAX_SEALED_CHUNK_BYTES = MAX_CHUNK_BYTES + 1024;

/** The description of an artifact before any bytes are written. */
export interface NewArtifact {
  /** `store://…`. The writer chooses it, so that a repeated write finds the artifact of the first one. */
  readonly uri: string;
  /** Every caller who may read the run may read the artifact; no other caller may (C5). */
  readonly runId: string;
  readonly kind: string;
  /** The step whose attempt wrote the artifact. Absent if the artifact belongs to the run as a whole. */
  readonly stepId?: string;
  readonly attempt?: number;
}

export interface ArtifactChunk {
  readonly artifact: NewArtifact;
  /** Counts from 1, without gaps. */
  readonly chunk: number;
  readonly bytes: Uint8Array;
  /** Digest and size of the complete artifact, sent with the last chunk. No chunk can be added after it. */
  readonly whole?: { readonly sha256: string; readonly sizeBytes: number };
}

/** `sha256` and `sizeBytes` are absent while the artifact is being written. */
export interface StoredArtifact extends NewArtifact, Omit<ArtifactRef, "uri" | "kind"> {
  readonly createdAt: string;
  /** ISO 8601. The time when a policy deleted the content. Absent if the content exists (A8). */
  readonly expiredAt?: string;
}

/** Bytes of runs, kept in the store. Readable from every machine, also while they are being written (C5). */
export interface Artifacts {
  /**
   * Adds a chunk; the first chunk creates the artifact. The call is safe to repeat: an existing chunk is not changed,
   * and chunks after the last one are ignored. Throws RUN_NOT_FOUND.
   */
  writeChunk(params: ArtifactChunk): Promise<void>;

  /**
   * Returns chunks above `afterChunk` (default 0), ascending, at most `limit` (default 16). `ended` is `true` if no
   * chunk follows them. Returns `null` if there is no such artifact. Throws ARTIFACT_EXPIRED.
   */
  readChunks(params: {
    readonly uri: string;
    readonly afterChunk?: number;
    readonly limit?: number;
  }): Promise<{ readonly chunks: readonly Uint8Array[]; readonly ended: boolean } | null>;

  /** Lists the artifacts of a run, or of one step if `stepId` is set, oldest first. `limit` defaults to 1000. */
  listArtifacts(params: {
    readonly runId: string;
    readonly stepId?: string;
    readonly afterUri?: string;
    readonly limit?: number;
  }): Promise<StoredArtifact[]>;

  /** The folder or bucket that holds what steps write. Absent if the store itself does. Logs are always in the store. */
  readonly place?: ArtifactPort;
}

/** One line of a log artifact. A log artifact has one JSON object per line. */
export interface LogLine {
  /** ISO 8601. */
  readonly at: string;
  /** The stream the program printed to, or `log` for a line that the step logged itself. */
  readonly from: "stdout" | "stderr" | "log";
  readonly text: string;
  readonly fields?: Readonly<Record<string, unknown>>;
}
