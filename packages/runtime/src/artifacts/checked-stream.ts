/** Counts and hashes a stream, and verifies it against a reference. */
import { createHash } from "node:crypto";
import { ArtifactDamagedError, type ArtifactRef } from "@runledger/contracts";

/** Digest and size of what has passed. */
export class Digest {
  readonly #hash = createHash("sha256");
  sizeBytes = 0;

  async *pass(content: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const piece of content) {
      this.add(piece);
      yield piece;
    }
  }

  add(piece: Uint8Array): void {
    this.#hash.update(piece);
    this.sizeBytes += piece.byteLength;
  }

  end(): { readonly sha256: string; readonly sizeBytes: number } {
    return { sha256: this.#hash.digest("hex"), sizeBytes: this.sizeBytes };
  }
}

/** Holds the last piece back until all bytes are verified, so that no reader takes a damaged artifact for a whole one. */
export async function* verified(
  content: AsyncIterable<Uint8Array>,
  { uri, sha256, sizeBytes }: Pick<ArtifactRef, "uri" | "sha256" | "sizeBytes">,
): AsyncGenerator<Uint8Array> {
  const digest = new Digest();
  let held: Uint8Array | null = null;
  for await (const piece of content) {
    if (held !== null) yield held;
    digest.add(piece);
    held = piece;
  }
  const found = digest.end();
  if (sizeBytes !== undefined && found.sizeBytes !== sizeBytes)
    throw new ArtifactDamagedError(uri, `it has ${found.sizeBytes} bytes, and ${sizeBytes} were written`);
  if (sha256 !== undefined && found.sha256 !== sha256)
    throw new ArtifactDamagedError(uri, `its SHA-256 is ${found.sha256}, and ${sha256} was written`);
  if (held !== null) yield held;
}
