/** The requests that artifacts need, on the SDK of Azure. */
import { createHash } from "node:crypto";
import {
  ArtifactsNotInstalledError,
  InputError,
  readArtifactUrl,
  type ObjectRange,
  type StoredObject,
} from "@runledger/contracts";
import type * as azure from "@azure/storage-blob";

const PACKAGE = "@azure/storage-blob";
/** The metadata that identifies the writer of an object. Azure allows no `-` in its name. */
const WRITER = "runledgerwriter";

/** Errors are those of the SDK. */
export class AzureClient {
  readonly url: string;
  readonly #sdk: typeof azure;
  readonly #container: azure.ContainerClient;
  /** Empty, or with a `/` at its end. */
  readonly #prefix: string;

  static async open(url: string, variables: Readonly<Record<string, string | undefined>>): Promise<AzureClient> {
    return new AzureClient(await loadSdk(url), url, variables);
  }

  private constructor(sdk: typeof azure, url: string, variables: Readonly<Record<string, string | undefined>>) {
    const { host, path, parameters } = readArtifactUrl(url, "azure://account/container/prefix", ["endpoint"]);
    const [container, ...prefix] = path;
    if (container === undefined) throw new InputError("OPTION_INVALID", "artifacts", `${url} names no container.`);
    const endpoint = parameters["endpoint"] ?? `https://${host}.blob.core.windows.net`;
    const service = new sdk.BlobServiceClient(endpoint, credentialsOf(sdk, host, variables), {
      retryOptions: { maxTries: 4, retryDelayInMs: 250, maxRetryDelayInMs: 4000 }, // the step repeats what still fails
    });
    this.url = ["azure:/", host, container, ...prefix].join("/");
    this.#sdk = sdk;
    this.#container = service.getContainerClient(container);
    this.#prefix = prefix.map((part) => `${part}/`).join("");
  }

  /** Fails with 409 if the key is taken. */
  async put(key: string, writer: string, bytes: Uint8Array): Promise<void> {
    const transactionalContentMD5 = md5(bytes); // the server refuses other bytes
    const once = { conditions: { ifNoneMatch: "*" }, metadata: { [WRITER]: writer } };
    await this.#blob(key).upload(bytes, bytes.byteLength, {
      ...once,
      blobHTTPHeaders: { blobContentMD5: transactionalContentMD5 },
    });
  }

  async putBlock(key: string, blockId: string, bytes: Uint8Array): Promise<void> {
    await this.#blob(key).stageBlock(blockId, bytes, bytes.byteLength, { transactionalContentMD5: md5(bytes) });
  }

  /** Creates the object from its blocks. Fails with 409 if the key is taken. */
  async commit(key: string, writer: string, blockIds: readonly string[]): Promise<void> {
    const once = { conditions: { ifNoneMatch: "*" }, metadata: { [WRITER]: writer } };
    await this.#blob(key).commitBlockList([...blockIds], once);
  }

  async get({ key, start, end }: Required<ObjectRange>): Promise<AsyncIterable<Uint8Array>> {
    const found = await this.#blob(key).download(start, end === Infinity ? undefined : end - start);
    return found.readableStreamBody as unknown as AsyncIterable<Uint8Array>;
  }

  /** Returns `null` if there is no such object. */
  async head(key: string): Promise<{ readonly sizeBytes: number; readonly writer: string | undefined } | null> {
    try {
      const { contentLength = 0, metadata } = await this.#blob(key).getProperties();
      return { sizeBytes: contentLength, writer: metadata?.[WRITER] };
    } catch (error) {
      if (isMissing(error)) return null;
      throw error;
    }
  }

  async *list(prefix: string, after = ""): AsyncGenerator<StoredObject> {
    for await (const { name, properties } of this.#container.listBlobsFlat({ prefix: this.#prefix + prefix })) {
      const key = name.slice(this.#prefix.length);
      const createdAt = properties.createdOn ?? properties.lastModified;
      if (key > after) yield { key, sizeBytes: properties.contentLength ?? 0, createdAt: createdAt.toISOString() };
    }
  }

  /** Lists the keys that have blocks and no object. Azure itself discards such blocks after a week. */
  async *uncommitted(): AsyncGenerator<{ readonly key: string; readonly startedAt: number }> {
    const options = { prefix: this.#prefix, includeUncommitedBlobs: true };
    for await (const { name, properties } of this.#container.listBlobsFlat(options)) {
      const key = name.slice(this.#prefix.length);
      const time = properties.createdOn ?? properties.lastModified;
      if ((properties.contentLength ?? 0) === 0 && (await this.head(key)) === null)
        yield { key, startedAt: time.getTime() };
    }
  }

  async delete(key: string): Promise<void> {
    await this.#blob(key).deleteIfExists();
  }

  async sign(key: string, fileName: string, expiresInSeconds: number): Promise<string | null> {
    if (!(this.#container.credential instanceof this.#sdk.StorageSharedKeyCredential)) return null;
    return this.#blob(key).generateSasUrl({
      permissions: this.#sdk.BlobSASPermissions.parse("r"),
      expiresOn: new Date(Date.now() + expiresInSeconds * 1000),
      contentDisposition: `attachment; filename="${fileName}"`,
      contentType: "application/octet-stream",
    });
  }

  #blob(key: string): azure.BlockBlobClient {
    return this.#container.getBlockBlobClient(this.#prefix + key);
  }
}

const md5 = (bytes: Uint8Array): Buffer => createHash("md5").update(bytes).digest();

function credentialsOf(
  { StorageSharedKeyCredential }: typeof azure,
  account: string,
  variables: Readonly<Record<string, string | undefined>>,
): azure.StorageSharedKeyCredential {
  const key = variables["AZURE_STORAGE_KEY"] ?? "";
  if (key !== "") return new StorageSharedKeyCredential(account, key);
  const message = `the key of the storage account ${account} is missing. Set AZURE_STORAGE_KEY.`;
  throw new InputError("OPTION_INVALID", "artifacts", message);
}

const statusOf = (error: unknown): unknown => (error as { statusCode?: unknown } | null)?.statusCode;

export const isMissing = (error: unknown): boolean => statusOf(error) === 404;
/** Another object has the key. */
export const isTaken = (error: unknown): boolean => statusOf(error) === 409 || statusOf(error) === 412;

async function loadSdk(url: string): Promise<typeof azure> {
  try {
    return await import("@azure/storage-blob");
  } catch (error) {
    const { code, message = "" } = error as { code?: string; message?: string };
    if (code !== "ERR_MODULE_NOT_FOUND" || !message.includes(`'${PACKAGE}'`)) throw error;
    throw new ArtifactsNotInstalledError(url, PACKAGE);
  }
}
