/** The port of a tenant's artifacts, wherever they are. */
import {
  artifactIdOf,
  InputError,
  STORE_SCHEME,
  type ArtifactPort,
  type ArtifactRange,
  type Artifacts,
  type StoredArtifact,
} from "@runledger/contracts";
import type { Retry } from "../time/retry.js";
import { StoreArtifacts } from "./store-artifacts.js";

/** `insist` retries a store call until the store responds. */
export function artifactPort(artifacts: () => Artifacts, insist?: Retry): ArtifactPort {
  return new EveryArtifact(new StoreArtifacts(artifacts, insist), () => artifacts().place);
}

/** Writes to the folder or bucket, if there is one. Reads from both, because logs and older artifacts are in the store. */
class EveryArtifact implements ArtifactPort {
  readonly #store: ArtifactPort;
  readonly #place: () => ArtifactPort | undefined;

  constructor(store: ArtifactPort, place: () => ArtifactPort | undefined) {
    this.#store = store;
    this.#place = place;
  }

  get location(): string {
    return this.#home.location;
  }

  get #home(): ArtifactPort {
    return this.#place() ?? this.#store;
  }

  write(params: Parameters<ArtifactPort["write"]>[0]): ReturnType<ArtifactPort["write"]> {
    return this.#home.write(params);
  }

  async *read(range: ArtifactRange): AsyncGenerator<Uint8Array> {
    yield* this.#portOf(range.uri).read(range);
  }

  async list(params: Parameters<ArtifactPort["list"]>[0]): Promise<StoredArtifact[]> {
    const ports = new Set([this.#store, this.#home]);
    const found = await Promise.all([...ports].map((port) => port.list(params)));
    const all = found.flat().map((artifact) => ({ artifact, id: artifactIdOf(artifact.uri) ?? "" }));
    const sorted = all.sort((a, b) => (a.id < b.id ? -1 : 1)).map(({ artifact }) => artifact);
    return sorted.slice(0, params.limit ?? 1000);
  }

  async link(params: Parameters<ArtifactPort["link"]>[0]): Promise<string | null> {
    return this.#portOf(params.uri).link(params);
  }

  #portOf(uri: string): ArtifactPort {
    if (uri.startsWith(STORE_SCHEME)) return this.#store;
    if (uri.startsWith(`${this.#home.location}/`)) return this.#home;
    const advice = "Set artifacts in the configuration, or RUNLEDGER_ARTIFACTS, to the place of this artifact.";
    throw new InputError("ARTIFACT_NOT_FOUND", uri, `artifacts are read from ${this.location}. ${advice}`);
  }
}
