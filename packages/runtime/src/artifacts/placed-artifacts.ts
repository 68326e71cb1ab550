/** Artifacts in a folder or a bucket. The store knows which runs exist, and who may see them. */
import {
  artifactIdOf,
  ArtifactDamagedError,
  ArtifactExpiredError,
  ArtifactsUnavailableError,
  InputError,
  newId,
  omitUndefined,
  RunNotFoundError,
  type ArtifactPort,
  type ArtifactRange,
  type ExpiredArtifact,
  type ObjectStorage,
  type StoredArtifact,
  type WrittenArtifact,
} from "@runledger/contracts";
import { Digest, verified } from "./checked-stream.js";
import { keyPart, objectKey, readObject, runOfKey, runPrefix, stepPartOf } from "./object-keys.js";

/** Consecutive failures of one read before it fails. A read continues where it was cut. */
const MAX_FAILURES = 4;

/** Returns the artifacts of a run whose content expired (A8), wherever it was. */
type ExpiredOf = (runId: string) => Promise<readonly ExpiredArtifact[]>;

type WriteParams = Parameters<ArtifactPort["write"]>[0];

export class PlacedArtifacts implements ArtifactPort {
  readonly location: string;
  readonly #storage: ObjectStorage;
  readonly #isVisible: (runId: string) => Promise<boolean>;

  readonly #expired: ExpiredOf;

  /** `isVisible` returns `true` if the caller's tenant has the run. */
  constructor(
    storage: ObjectStorage,
    isVisible: (runId: string) => Promise<boolean>,
    expired: ExpiredOf = async () => [],
  ) {
    this.location = storage.url;
    this.#storage = storage;
    this.#isVisible = isVisible;
    this.#expired = expired;
  }

  async write({ artifact, content }: WriteParams): Promise<WrittenArtifact> {
    if (!(await this.#isVisible(artifact.runId))) throw new RunNotFoundError(artifact.runId);
    const key = objectKey(artifact, newId("art"));
    const digest = new Digest();
    await this.#storage.create({ key, content: digest.pass(content) });
    await this.#removeIfDeleted(artifact.runId, key);
    const written = { uri: `${this.location}/${key}`, kind: artifact.kind, ...digest.end() };
    const sizeBytes = await this.#storage.sizeOf(key);
    if (sizeBytes === written.sizeBytes) return written;
    await this.#storage.remove(key);
    throw new ArtifactDamagedError(
      written.uri,
      `it has ${sizeBytes ?? 0} bytes, and ${written.sizeBytes} were written`,
    );
  }

  async *read({ uri, sha256, sizeBytes, start = 0, end }: ArtifactRange): AsyncGenerator<Uint8Array> {
    const key = this.#keyOf(uri);
    const isVisible = key !== null && (await this.#isVisible(runOfKey(key)));
    const size = isVisible ? await this.#storage.sizeOf(key) : null;
    if (size === null && isVisible) await this.#refuseExpired(uri, runOfKey(key));
    if (key === null || size === null)
      throw new InputError("ARTIFACT_NOT_FOUND", uri, "there is no such artifact in this tenant. Check the URI.");
    if (sizeBytes !== undefined && size !== sizeBytes)
      throw new ArtifactDamagedError(uri, `it has ${size} bytes, and ${sizeBytes} were written`);
    const bytes = this.#bytes(key, start, Math.min(end ?? size, size));
    const isWhole = start === 0 && (end === undefined || end >= size);
    yield* isWhole && sha256 !== undefined ? verified(bytes, { uri, ...omitUndefined({ sha256, sizeBytes }) }) : bytes;
  }

  async list(params: Parameters<ArtifactPort["list"]>[0]): Promise<StoredArtifact[]> {
    const { runId, stepId, afterId, limit = 1000 } = params;
    const found: StoredArtifact[] = [];
    if (!(await this.#isVisible(runId))) return found;
    const prefix = runPrefix(runId);
    const after = omitUndefined({ after: afterId === undefined ? undefined : `${prefix}${afterId}0` }); // "0" follows "/"
    const step = stepId === undefined ? null : keyPart(stepId);
    for await (const object of this.#storage.list({ prefix, ...after })) {
      const artifact = readObject(object, { runId, url: this.location });
      if (artifact === null || (step !== null && stepPartOf(object.key) !== step)) continue;
      if (found.push({ ...artifact, ...omitUndefined({ stepId }) }) === limit) break; // a key may have a shortened step
    }
    return withExpired(found, await this.#expiredHere(params), limit);
  }

  async #expiredHere({ runId, stepId, afterId = "" }: Parameters<ArtifactPort["list"]>[0]): Promise<ExpiredArtifact[]> {
    const isListed = (artifact: ExpiredArtifact): boolean =>
      artifact.uri.startsWith(`${this.location}/`) &&
      (stepId === undefined || keyPart(artifact.stepId ?? "") === keyPart(stepId)) &&
      idOf(artifact) > afterId;
    return (await this.#expired(runId)).filter(isListed);
  }

  async #refuseExpired(uri: string, runId: string): Promise<void> {
    const gone = (await this.#expired(runId)).find((artifact) => artifact.uri === uri);
    if (gone !== undefined) throw new ArtifactExpiredError(uri, gone.expiredAt);
  }

  async link({ uri, ...how }: Parameters<ArtifactPort["link"]>[0]): Promise<string | null> {
    const key = this.#keyOf(uri);
    if (key === null || !(await this.#isVisible(runOfKey(key)))) return null;
    return this.#storage.link({ key, ...how });
  }

  /** A late attempt may write after its run was deleted: no deletion finds the object. */
  async #removeIfDeleted(runId: string, key: string): Promise<void> {
    if (await this.#isVisible(runId)) return;
    await this.#storage.remove(key);
    throw new RunNotFoundError(runId);
  }

  /** Returns `null` for an address outside of this location, and for one that Runledger has not written. */
  #keyOf(uri: string): string | null {
    const isHere = uri.startsWith(`${this.location}/`) && artifactIdOf(uri) !== null;
    const key = uri.slice(this.location.length + 1);
    return isHere && /^[\w.=/-]+$/.test(key) && !key.split("/").includes("..") ? key : null;
  }

  /** Continues a read that was cut at the byte that is missing. */
  async *#bytes(key: string, start: number, end: number): AsyncGenerator<Uint8Array> {
    let failures = 0;
    for (let at = start; at < end;) {
      try {
        for await (const piece of (await this.#storage.read({ key, start: at, end })) ?? []) {
          at += piece.byteLength;
          failures = 0;
          yield piece;
        }
        if (at < end) throw new ArtifactsUnavailableError(this.location, new Error(`${key} ended at byte ${at}.`));
      } catch (error) {
        if (!(error instanceof ArtifactsUnavailableError) || ++failures === MAX_FAILURES) throw error;
      }
    }
  }
}

const idOf = ({ uri }: StoredArtifact): string => artifactIdOf(uri) ?? uri;

/** The description of an expired artifact replaces an object that is not removed yet. */
function withExpired(
  found: readonly StoredArtifact[],
  expired: readonly ExpiredArtifact[],
  limit: number,
): StoredArtifact[] {
  if (expired.length === 0) return [...found];
  const all = new Map([...found, ...expired].map((artifact) => [idOf(artifact), artifact]));
  const sorted = [...all].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, artifact]) => artifact);
  return sorted.slice(0, limit);
}
