import {
  MAX_CHUNK_BYTES,
  MAX_SEALED_CHUNK_BYTES,
  SEALED_CHUNK,
  STORE_SCHEME,
  type ArtifactChunk,
} from "./artifacts.js";
import { InputError } from "./errors/families.js";
import { checkIdentifier, checkStepId, kind } from "./identifiers.js";

const SHA256 = /^[0-9a-f]{64}$/;

/** Returns the id in a `store://` address. */
export function checkArtifactUri(field: string, uri: unknown): string {
  checkIdentifier(field, uri);
  if (uri.startsWith(STORE_SCHEME) && uri.length > STORE_SCHEME.length) return uri.slice(STORE_SCHEME.length);
  throw new InputError(
    "OPTION_INVALID",
    field,
    `must start with ${STORE_SCHEME}. Other artifacts are not kept in the store.`,
  );
}

export function checkArtifactChunk({ artifact, chunk, bytes, whole }: ArtifactChunk): void {
  checkArtifactUri("artifact.uri", artifact.uri);
  checkIdentifier("artifact.runId", artifact.runId);
  checkIdentifier("artifact.kind", artifact.kind);
  if (artifact.stepId !== undefined) checkStepId("artifact.stepId", artifact.stepId);
  checkCount("artifact.attempt", artifact.attempt ?? 1, 1);
  checkCount("chunk", chunk, 1);
  if (!(bytes instanceof Uint8Array)) throw invalid("bytes", `must be a Uint8Array, not ${kind(bytes)}.`);
  if (bytes.byteLength > limitOf(bytes)) {
    const message = `has ${bytes.byteLength} bytes; a chunk holds at most ${MAX_CHUNK_BYTES}. Split it into several chunks.`;
    throw new InputError("PAYLOAD_TOO_LARGE", "bytes", message);
  }
  if (whole === undefined) return;
  if (!SHA256.test(whole.sha256)) throw invalid("whole.sha256", "must be a SHA-256 in lower-case hex.");
  checkCount("whole.sizeBytes", whole.sizeBytes, 0);
}

function limitOf(bytes: Uint8Array): number {
  const isSealed = SEALED_CHUNK.every((byte, index) => bytes[index] === byte);
  return isSealed ? MAX_SEALED_CHUNK_BYTES : MAX_CHUNK_BYTES;
}

function checkCount(field: string, value: number, least: number): void {
  if (!Number.isSafeInteger(value) || value < least) throw invalid(field, `must be a whole number from ${least}.`);
}

function invalid(field: string, message: string): InputError {
  return new InputError("OPTION_INVALID", field, message);
}
