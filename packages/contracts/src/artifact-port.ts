import type { ArtifactRef } from "./artifact.js";
import { STORE_SCHEME, type NewArtifact, type StoredArtifact } from "./artifacts.js";

/** A reference to an artifact that is complete. */
export type WrittenArtifact = Required<Pick<ArtifactRef, "uri" | "kind" | "sha256" | "sizeBytes">>;

/** The bytes to read. With digest and size, the reader verifies a whole artifact. */
export interface ArtifactRange extends Pick<ArtifactRef, "uri" | "sha256" | "sizeBytes"> {
  /** Offset of the first byte. Default 0. */
  readonly start?: number;
  /** Offset behind the last byte. Default: the size of the artifact. */
  readonly end?: number;
}

/**
 * Artifacts of runs as whole streams, at one location: the store, a folder or a bucket (C5). Every caller who may read the run
 * may read its artifacts; for other callers they do not exist.
 */
export interface ArtifactPort {
  /** `store:`, or the URL of the folder or bucket without credentials. */
  readonly location: string;
  /** Writes a new artifact of a run. Throws RUN_NOT_FOUND. If `content` fails, no artifact is created. */
  write(params: {
    readonly artifact: Omit<NewArtifact, "uri">;
    readonly content: AsyncIterable<Uint8Array>;
  }): Promise<WrittenArtifact>;
  /**
   * Streams an artifact or a range of it. Throws ARTIFACT_NOT_FOUND or ARTIFACT_EXPIRED. Throws ARTIFACT_DAMAGED before the last bytes if digest
   * or size differ from the reference.
   */
  read(range: ArtifactRange): AsyncIterable<Uint8Array>;
  /** Lists the artifacts of a run, or of one step, by id, which is oldest first. `limit` defaults to 1000. */
  list(params: {
    readonly runId: string;
    readonly stepId?: string;
    readonly afterId?: string;
    readonly limit?: number;
  }): Promise<StoredArtifact[]>;
  /** Returns a URL that downloads the artifact without credentials for a while, or `null` if only the server can send it. */
  link(params: {
    readonly uri: string;
    readonly fileName: string;
    readonly expiresInSeconds: number;
  }): Promise<string | null>;
}

/** Returns the id in the address of an artifact, or `null` if Runledger has not written it. */
export function artifactIdOf(uri: string): string | null {
  if (uri.startsWith(STORE_SCHEME)) return uri.slice(STORE_SCHEME.length);
  return /\/(art_[0-9a-f]+)\//.exec(uri)?.[1] ?? null;
}
