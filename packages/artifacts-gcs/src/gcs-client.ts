/** The requests that artifacts need, on the SDK of Google. */
import { pipeline } from "node:stream/promises";
import { ArtifactsNotInstalledError, readArtifactUrl, type ObjectRange, type StoredObject } from "@runledger/contracts";
import type * as gcs from "@google-cloud/storage";

const PACKAGE = "@google-cloud/storage";
/** Bytes of a request of a large upload, which the SDK holds to repeat them. A multiple of 256 KB. */
const REQUEST_BYTES = 8 * 1024 * 1024;
/** The metadata that identifies the writer of an object. */
const WRITER = "runledger-writer";

/** Errors are those of the SDK. */
export class GcsClient {
  readonly #bucket: gcs.Bucket;
  /** A server other than that of Google gets no credentials. */
  readonly #isElsewhere: boolean;
  /** Empty, or with a `/` at its end. */
  readonly #prefix: string;

  static async open(url: string): Promise<GcsClient> {
    return new GcsClient(await loadSdk(url), url);
  }

  private constructor({ Storage }: typeof gcs, url: string) {
    const { host, path, parameters } = readArtifactUrl(url, "gs://bucket/prefix", ["endpoint"]);
    const { endpoint } = parameters;
    this.#isElsewhere = endpoint !== undefined;
    this.#bucket = new Storage(endpoint === undefined ? {} : { apiEndpoint: endpoint }).bucket(host);
    this.#prefix = path.map((part) => `${part}/`).join("");
  }

  get url(): string {
    return `gs://${this.#bucket.name}/${this.#prefix}`.slice(0, -1);
  }

  /** Fails with 412 if the key is taken. A large object is uploaded in requests, and exists after the last one. */
  async put(key: string, writer: string, content: AsyncIterable<Uint8Array>, isLarge: boolean): Promise<void> {
    const target = this.#file(key).createWriteStream({
      metadata: { metadata: { [WRITER]: writer } },
      preconditionOpts: { ifGenerationMatch: 0 },
      resumable: isLarge,
      ...(isLarge && { chunkSize: REQUEST_BYTES }),
      validation: "crc32c", // the server's digest of the object is compared with that of the bytes that were sent
    });
    await pipeline(content, target);
  }

  /**
   * Returns `null` if there is no such object. The stream of the SDK never ends if the connection is cut, so only the URL and the
   * credentials are the SDK's.
   */
  async get({ key, start, end }: Required<ObjectRange>): Promise<AsyncIterable<Uint8Array> | null> {
    const { storage, name } = this.#bucket;
    const url = `${storage.apiEndpoint}/storage/v1/b/${name}/o/${encodeURIComponent(this.#prefix + key)}?alt=media`;
    const headers = this.#isElsewhere ? {} : await storage.authClient.getRequestHeaders(url);
    const range = `bytes=${start}-${end === Infinity ? "" : end - 1}`;
    const response = await fetch(url, { headers: { ...headers, range, "accept-encoding": "identity" } });
    if (response.status === 404) return null;
    if (response.ok && response.body !== null) return response.body;
    throw new Error(`${response.status} ${response.statusText}: ${(await response.text()).slice(0, 500)}`);
  }

  /** Returns `null` if there is no such object. */
  async head(key: string): Promise<{ readonly sizeBytes: number; readonly writer: string | undefined } | null> {
    try {
      const [{ size = 0, metadata }] = await this.#file(key).getMetadata();
      return { sizeBytes: Number(size), writer: metadata?.[WRITER]?.toString() };
    } catch (error) {
      if (isMissing(error)) return null;
      throw error;
    }
  }

  async *list(prefix: string, after = ""): AsyncGenerator<StoredObject> {
    const start = after === "" ? {} : { startOffset: this.#prefix + after };
    const query = { prefix: this.#prefix + prefix, ...start, autoPaginate: false, maxResults: 1000 };
    for (let next: object | null = query; next !== null;) {
      const [files, following] = (await this.#bucket.getFiles(next)) as [gcs.File[], object | null, unknown];
      for (const { name, metadata } of files) {
        const key = name.slice(this.#prefix.length);
        if (key > after) yield { key, sizeBytes: Number(metadata.size ?? 0), createdAt: metadata.timeCreated ?? "" };
      }
      next = following ?? null;
    }
  }

  async delete(key: string): Promise<void> {
    await this.#file(key).delete({ ignoreNotFound: true });
  }

  async sign(key: string, fileName: string, expiresInSeconds: number): Promise<string> {
    const [url] = await this.#file(key).getSignedUrl({
      version: "v4",
      action: "read",
      expires: Date.now() + expiresInSeconds * 1000,
      responseDisposition: `attachment; filename="${fileName}"`,
      responseType: "application/octet-stream",
      host: this.#bucket.storage.apiEndpoint,
    });
    return url;
  }

  #file(key: string): gcs.File {
    return this.#bucket.file(this.#prefix + key);
  }
}

const codeOf = (error: unknown): unknown => (error as { code?: unknown } | null)?.code;

const isMissing = (error: unknown): boolean => codeOf(error) === 404;
/** Another object has the key. */
export const isTaken = (error: unknown): boolean => codeOf(error) === 412;

async function loadSdk(url: string): Promise<typeof gcs> {
  try {
    return await import("@google-cloud/storage");
  } catch (error) {
    const { code, message = "" } = error as { code?: string; message?: string };
    if (code !== "ERR_MODULE_NOT_FOUND" || !message.includes(`'${PACKAGE}'`)) throw error;
    throw new ArtifactsNotInstalledError(url, PACKAGE);
  }
}
