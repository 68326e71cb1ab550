import type { ArtifactRef } from "./artifact.js";

/** How the store's own artifacts are named: `store://` and an id that sorts by time. */
export const STORE_SCHEME = "store://";

/** Most bytes of one chunk: what one statement carries without making its neighbours wait. */
export const MAX_CHUNK_BYTES = 1024 * 1024;

/** An artifact of a run, as it is known before its bytes are. */
export interface NewArtifact {
  /** `store://…`, chosen by the writer, so that a repeated write finds what the first one made. */
  readonly uri: string;
  /** Whoever may see the run may read it; nobody else (C5). */
  readonly runId: string;
  readonly kind: string;
  /** The attempt that wrote it; absent = it belongs to the run as a whole. */
  readonly stepId?: string;
  readonly attempt?: number;
}

export interface ArtifactChunk {
  readonly artifact: NewArtifact;
  /** Counts from 1, without gaps. */
  readonly chunk: number;
  readonly bytes: Uint8Array;
  /** What the whole is, with the last chunk: nothing can be added after it. */
  readonly whole?: { readonly sha256: string; readonly sizeBytes: number };
}

/** `sha256` and `sizeBytes` are absent while it is being written. */
export interface StoredArtifact extends NewArtifact, Omit<ArtifactRef, "uri" | "kind"> {
  readonly createdAt: string;
}

/** Bytes of runs in the store itself, readable from every machine, and while they are being written (C5). */
export interface Artifacts {
  /**
   * Adds a chunk; the first one makes the artifact. Safe to repeat: a chunk that is there stays as it is, and what
   * comes after the last one is ignored. Throws RUN_NOT_FOUND.
   */
  writeChunk(params: ArtifactChunk): Promise<void>;

  /**
   * Chunks above `afterChunk` (default 0), ascending, at most `limit` (default 16). `ended` = nothing comes after them.
   * Null = there is no such artifact.
   */
  readChunks(params: {
    readonly uri: string;
    readonly afterChunk?: number;
    readonly limit?: number;
  }): Promise<{ readonly chunks: readonly Uint8Array[]; readonly ended: boolean } | null>;

  /** The artifacts of a run, of one of its steps where it is named, oldest first; at most `limit` (default 1000). */
  listArtifacts(params: {
    readonly runId: string;
    readonly stepId?: string;
    readonly afterUri?: string;
    readonly limit?: number;
  }): Promise<StoredArtifact[]>;
}

/** A line of a log artifact, which is one JSON object per line. */
export interface LogLine {
  /** ISO 8601. */
  readonly at: string;
  /** What a program printed, or what the step said itself. */
  readonly from: "stdout" | "stderr" | "log";
  readonly text: string;
  readonly fields?: Readonly<Record<string, unknown>>;
}
