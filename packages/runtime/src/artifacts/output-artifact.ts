/** Outputs that are too large for an event (P9), as artifacts: JSON text. */
import { ArtifactDamagedError, type ArtifactPort, type ArtifactRef, type Json } from "@runledger/contracts";

export const OUTPUT_KIND = "output";
/** Steps and readers hold an output in memory. */
export const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;
const PIECE_BYTES = 1024 * 1024;

type Writer = Omit<Parameters<ArtifactPort["write"]>[0]["artifact"], "kind">;

/** `json` is the text of the output. */
export function writeOutput(port: ArtifactPort, about: Writer, json: Uint8Array): Promise<ArtifactRef> {
  return port.write({ artifact: { ...about, kind: OUTPUT_KIND }, content: pieces(json) });
}

/** Throws ARTIFACT_NOT_FOUND. Throws ARTIFACT_DAMAGED if the content is not what was written. */
export async function readOutput(port: ArtifactPort, { uri, sha256, sizeBytes }: ArtifactRef): Promise<Json> {
  const chunks: Uint8Array[] = [];
  const range = { uri, ...(sha256 !== undefined && { sha256 }), ...(sizeBytes !== undefined && { sizeBytes }) };
  for await (const chunk of port.read(range)) chunks.push(chunk);
  try {
    return JSON.parse(Buffer.concat(chunks).toString()) as Json;
  } catch {
    throw new ArtifactDamagedError(uri, "it is not JSON, and JSON was written");
  }
}

async function* pieces(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let from = 0; from < bytes.byteLength; from += PIECE_BYTES) yield bytes.subarray(from, from + PIECE_BYTES);
}
