import { MAX_CHUNK_BYTES, STORE_SCHEME, type ArtifactChunk } from "./artifacts.js";
import { InputError } from "./errors/families.js";
import { checkIdentifier, checkStepId, kind } from "./identifiers.js";

const SHA256 = /^[0-9a-f]{64}$/;

/** The id that a `store://` address holds. */
export function checkArtifactUri(field: string, uri: unknown): string {
  checkIdentifier(field, uri);
  if (uri.startsWith(STORE_SCHEME) && uri.length > STORE_SCHEME.length) return uri.slice(STORE_SCHEME.length);
  throw new InputError("OPTION_INVALID", field, `must begin with ${STORE_SCHEME}; others are not kept in the store.`);
}

export function checkArtifactChunk({ artifact, chunk, bytes, whole }: ArtifactChunk): void {
  checkArtifactUri("artifact.uri", artifact.uri);
  checkIdentifier("artifact.runId", artifact.runId);
  checkIdentifier("artifact.kind", artifact.kind);
  if (artifact.stepId !== undefined) checkStepId("artifact.stepId", artifact.stepId);
  checkCount("artifact.attempt", artifact.attempt ?? 1, 1);
  checkCount("chunk", chunk, 1);
  if (!(bytes instanceof Uint8Array)) throw invalid("bytes", `must be a Uint8Array, not ${kind(bytes)}.`);
  if (bytes.byteLength > MAX_CHUNK_BYTES) {
    const message = `are ${bytes.byteLength}; at most ${MAX_CHUNK_BYTES} fit into a chunk. Write several.`;
    throw new InputError("PAYLOAD_TOO_LARGE", "bytes", message);
  }
  if (whole === undefined) return;
  if (!SHA256.test(whole.sha256)) throw invalid("whole.sha256", "must be a SHA-256 in lower-case hex.");
  checkCount("whole.sizeBytes", whole.sizeBytes, 0);
}

function checkCount(field: string, value: number, least: number): void {
  if (!Number.isSafeInteger(value) || value < least) throw invalid(field, `must be a whole number from ${least}.`);
}

function invalid(field: string, message: string): InputError {
  return new InputError("OPTION_INVALID", field, message);
}
