import { type ObjectRange, type ObjectStorage, type StoredObject } from "@runledger/contracts";
import { isMissing, S3Client } from "./s3-client.js";
import { upload } from "./upload.js";

/**
 * Opens `s3://bucket/prefix?endpoint=https://…&region=…`. Finds credentials as all AWS tools do: in the environment, in a
 * profile, or by the role of the machine.
 */
export async function openArtifacts(url: string): Promise<ObjectStorage> {
  return new S3Storage(await S3Client.open(url));
}

class S3Storage implements ObjectStorage {
  readonly url: string;
  readonly #client: S3Client;

  constructor(client: S3Client) {
    this.url = client.url;
    this.#client = client;
  }

  create({ key, content }: Parameters<ObjectStorage["create"]>[0]): Promise<void> {
    return upload(this.#client, key, content);
  }

  async read({ key, start = 0, end = Infinity }: ObjectRange): Promise<AsyncIterable<Uint8Array> | null> {
    return this.#client.get({ key, start, end }).catch((error: unknown) => {
      if (isMissing(error)) return null;
      throw error;
    });
  }

  async sizeOf(key: string): Promise<number | null> {
    return (await this.#client.head(key))?.sizeBytes ?? null;
  }

  list({ prefix, after }: Parameters<ObjectStorage["list"]>[0]): AsyncIterable<StoredObject> {
    return this.#client.list(prefix, after);
  }

  remove(key: string): Promise<void> {
    return this.#client.delete(key);
  }

  async removeAbandoned({ olderThanMs }: { readonly olderThanMs: number }): Promise<number> {
    let removed = 0;
    for await (const { key, uploadId, startedAt } of this.#client.openUploads()) {
      if (startedAt > Date.now() - olderThanMs) continue;
      await this.#client.abortUpload(key, uploadId);
      removed++;
    }
    return removed;
  }

  link({ key, fileName, expiresInSeconds }: Parameters<ObjectStorage["link"]>[0]): Promise<string> {
    return this.#client.sign(key, fileName, expiresInSeconds);
  }

  close(): void {
    this.#client.close();
  }
}
