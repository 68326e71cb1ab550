import { randomUUID } from "node:crypto";
import {
  ArtifactExistsError,
  objectParts,
  type ObjectRange,
  type ObjectStorage,
  type StoredObject,
} from "@runledger/contracts";
import { GcsClient, isTaken } from "./gcs-client.js";

const PART_BYTES = 1024 * 1024;

/**
 * Opens `gs://bucket/prefix?endpoint=https://…`. Finds credentials as all tools of Google do: in the file that
 * GOOGLE_APPLICATION_CREDENTIALS names, or by the role of the machine.
 */
export async function openArtifacts(url: string): Promise<ObjectStorage> {
  return new GcsStorage(await GcsClient.open(url));
}

class GcsStorage implements ObjectStorage {
  readonly url: string;
  readonly #client: GcsClient;

  constructor(client: GcsClient) {
    this.url = client.url;
    this.#client = client;
  }

  /** A request that was repeated after a lost answer finds its own object. */
  async create({ key, content }: Parameters<ObjectStorage["create"]>[0]): Promise<void> {
    const writer = randomUUID();
    const parts = objectParts(content, () => PART_BYTES);
    const { value: first } = await parts.next();
    if (first === undefined) throw new Error("A stream has at least one part.");
    try {
      await this.#client.put(key, writer, joined(first.bytes, parts), !first.isLast);
    } catch (error) {
      void parts.return(undefined).catch(() => {}); // closes the content, which may be waiting for its source
      if (!isTaken(error)) throw error;
      if ((await this.#client.head(key))?.writer !== writer) throw new ArtifactExistsError(`${this.url}/${key}`);
    }
  }

  async read({ key, start = 0, end = Infinity }: ObjectRange): Promise<AsyncIterable<Uint8Array> | null> {
    return this.#client.get({ key, start, end });
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

  /** Google keeps an unfinished upload for a week, lists it nowhere, and does not charge for it. */
  async removeAbandoned(): Promise<number> {
    return 0;
  }

  /** Only a service account with a key, or with the permission to sign, can sign. */
  async link({ key, fileName, expiresInSeconds }: Parameters<ObjectStorage["link"]>[0]): Promise<string | null> {
    return this.#client.sign(key, fileName, expiresInSeconds).catch((error: unknown) => {
      if (error instanceof Error && error.name === "SigningError") return null;
      throw error;
    });
  }

  close(): void {}
}

async function* joined(
  first: Uint8Array,
  rest: AsyncIterable<{ readonly bytes: Uint8Array }>,
): AsyncGenerator<Uint8Array> {
  yield first;
  for await (const { bytes } of rest) yield bytes;
}
