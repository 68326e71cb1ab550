import { type ObjectRange, type ObjectStorage, type StoredObject } from "@runledger/contracts";
import { AzureClient, isMissing } from "./azure-client.js";
import { discardBlocks, upload } from "./upload.js";

/**
 * Opens `azure://account/container/prefix?endpoint=https://…`. `variables` are those of the process: the key of the
 * storage account is AZURE_STORAGE_KEY.
 */
export async function openArtifacts(
  url: string,
  variables: Readonly<Record<string, string | undefined>>,
): Promise<ObjectStorage> {
  return new AzureStorage(await AzureClient.open(url, variables));
}

class AzureStorage implements ObjectStorage {
  readonly url: string;
  readonly #client: AzureClient;

  constructor(client: AzureClient) {
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
    for await (const { key, startedAt } of this.#client.uncommitted()) {
      if (startedAt > Date.now() - olderThanMs) continue;
      await discardBlocks(this.#client, key);
      removed++;
    }
    return removed;
  }

  link({ key, fileName, expiresInSeconds }: Parameters<ObjectStorage["link"]>[0]): Promise<string | null> {
    return this.#client.sign(key, fileName, expiresInSeconds);
  }

  close(): void {}
}
