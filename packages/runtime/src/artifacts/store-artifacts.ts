/** Artifacts in the store itself, in chunks (C5). */
import {
  InputError,
  omitUndefined,
  STORE_SCHEME,
  type ArtifactPort,
  type ArtifactRange,
  type Artifacts,
  type StoredArtifact,
  type WrittenArtifact,
} from "@runledger/contracts";
import type { Retry } from "../time/retry.js";
import { ArtifactWriter } from "./artifact-writer.js";
import { verified } from "./checked-stream.js";

const once: Retry = (action) => action();

export class StoreArtifacts implements ArtifactPort {
  readonly location = "store:";
  readonly #chunks: () => Artifacts;
  readonly #insist: Retry;

  /** `insist` retries a store call until the store responds. */
  constructor(chunks: () => Artifacts, insist = once) {
    this.#chunks = chunks;
    this.#insist = insist;
  }

  async write({ artifact, content }: Parameters<ArtifactPort["write"]>[0]): Promise<WrittenArtifact> {
    const { kind, ...about } = artifact;
    const writer = new ArtifactWriter({ artifacts: this.#chunks, about, insist: this.#insist }, kind);
    let last: Uint8Array | undefined; // the last chunk carries digest and size
    for await (const piece of content) {
      if (last !== undefined) await writer.write(last);
      last = piece;
    }
    return writer.end(last);
  }

  async *read({ uri, sha256, sizeBytes, start = 0, end = Infinity }: ArtifactRange): AsyncGenerator<Uint8Array> {
    const isWhole = start === 0 && (end === Infinity || (sizeBytes !== undefined && end >= sizeBytes));
    if (isWhole && sha256 !== undefined) {
      yield* verified(this.#bytes(uri), { uri, sha256, ...omitUndefined({ sizeBytes }) });
      return;
    }
    let at = 0;
    for await (const chunk of this.#bytes(uri)) {
      const some = chunk.subarray(Math.max(0, start - at), Math.max(0, end - at));
      if (some.byteLength > 0) yield some;
      at += chunk.byteLength;
      if (at >= end) return;
    }
  }

  async list(params: Parameters<ArtifactPort["list"]>[0]): Promise<StoredArtifact[]> {
    const { afterId, ...rest } = params;
    const after = omitUndefined({ afterUri: afterId === undefined ? undefined : STORE_SCHEME + afterId });
    return this.#insist(() => this.#chunks().listArtifacts({ ...rest, ...after }));
  }

  async link(): Promise<null> {
    return null;
  }

  async *#bytes(uri: string): AsyncGenerator<Uint8Array> {
    for (let afterChunk = 0; ;) {
      const at = afterChunk;
      const page = await this.#insist(() => this.#chunks().readChunks({ uri, afterChunk: at }));
      if (page === null)
        throw new InputError("ARTIFACT_NOT_FOUND", uri, "there is no such artifact in this tenant. Check the URI.");
      yield* page.chunks;
      if (page.ended || page.chunks.length === 0) return;
      afterChunk += page.chunks.length;
    }
  }
}
