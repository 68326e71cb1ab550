import { createHash } from "node:crypto";
import {
  MAX_CHUNK_BYTES,
  newId,
  STORE_SCHEME,
  type Artifacts,
  type NewArtifact,
  type WrittenArtifact,
} from "@runledger/contracts";
import type { Retry } from "../time/retry.js";

/** The store, and what the artifact belongs to. */
export interface ChunkHome {
  readonly artifacts: () => Artifacts;
  readonly about: Omit<NewArtifact, "uri" | "kind">;
  /** Retries a store call until the store responds. */
  readonly insist: Retry;
}

const NOTHING = new Uint8Array();

/** Writes one artifact to the store. Numbers its chunks, so that each can be retried. */
export class ArtifactWriter {
  readonly #home: ChunkHome;
  readonly #artifact: NewArtifact;
  readonly #hash = createHash("sha256");
  #sizeBytes = 0;
  #chunk = 0;

  constructor(home: ChunkHome, kind: string) {
    this.#home = home;
    this.#artifact = { ...home.about, kind, uri: `${STORE_SCHEME}${newId("art")}` };
  }

  get uri(): string {
    return this.#artifact.uri;
  }

  /** Writes each as its own chunk. */
  async write(bytes: Uint8Array): Promise<void> {
    for (let from = 0; from < bytes.byteLength; from += MAX_CHUNK_BYTES) {
      await this.#send(bytes.subarray(from, from + MAX_CHUNK_BYTES));
    }
  }

  async end(bytes: Uint8Array = NOTHING): Promise<WrittenArtifact> {
    const last = bytes.byteLength % MAX_CHUNK_BYTES || Math.min(bytes.byteLength, MAX_CHUNK_BYTES);
    await this.write(bytes.subarray(0, bytes.byteLength - last));
    const whole = await this.#send(bytes.subarray(bytes.byteLength - last), true);
    const { uri, kind } = this.#artifact;
    return { uri, kind, ...whole! };
  }

  async #send(bytes: Uint8Array, isLast = false): Promise<{ sha256: string; sizeBytes: number } | undefined> {
    this.#hash.update(bytes);
    this.#sizeBytes += bytes.byteLength;
    this.#chunk++;
    const whole = isLast ? { sha256: this.#hash.digest("hex"), sizeBytes: this.#sizeBytes } : undefined;
    const params = { artifact: this.#artifact, chunk: this.#chunk, bytes, ...(whole && { whole }) };
    await this.#home.insist(() => this.#home.artifacts().writeChunk(params));
    return whole;
  }
}
