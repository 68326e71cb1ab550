/** Converts what the clients of folders and buckets throw: ARTIFACTS_UNAVAILABLE tells callers to retry. */
import {
  ArtifactsUnavailableError,
  RunledgerError,
  type ObjectRange,
  type ObjectStorage,
  type StoredObject,
} from "@runledger/contracts";

/** An error of the content, which the bucket has not caused. */
class ContentError extends Error {}

export class GuardedStorage implements ObjectStorage {
  readonly url: string;
  readonly #storage: ObjectStorage;

  constructor(storage: ObjectStorage) {
    this.url = storage.url;
    this.#storage = storage;
  }

  create({ key, content }: Parameters<ObjectStorage["create"]>[0]): Promise<void> {
    return this.#try(() => this.#storage.create({ key, content: marked(content) }));
  }

  async read(range: ObjectRange): Promise<AsyncIterable<Uint8Array> | null> {
    const found = await this.#try(() => this.#storage.read(range));
    return found && this.#stream(found);
  }

  sizeOf(key: string): Promise<number | null> {
    return this.#try(() => this.#storage.sizeOf(key));
  }

  list(params: Parameters<ObjectStorage["list"]>[0]): AsyncIterable<StoredObject> {
    return this.#stream(this.#storage.list(params));
  }

  remove(key: string): Promise<void> {
    return this.#try(() => this.#storage.remove(key));
  }

  removeAbandoned(params: { readonly olderThanMs: number }): Promise<number> {
    return this.#try(() => this.#storage.removeAbandoned(params));
  }

  link(params: Parameters<ObjectStorage["link"]>[0]): Promise<string | null> {
    return this.#try(() => this.#storage.link(params));
  }

  close(): void {
    this.#storage.close();
  }

  async *#stream<T>(items: AsyncIterable<T>): AsyncGenerator<T> {
    try {
      yield* items;
    } catch (error) {
      throw this.#converted(error);
    }
  }

  async #try<T>(action: () => Promise<T>): Promise<T> {
    try {
      return await action();
    } catch (error) {
      throw this.#converted(error);
    }
  }

  #converted(error: unknown): unknown {
    if (error instanceof ContentError) return error.cause;
    return error instanceof RunledgerError ? error : new ArtifactsUnavailableError(this.url, error);
  }
}

async function* marked(content: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* content;
  } catch (cause) {
    throw new ContentError("The content of the artifact failed.", { cause });
  }
}
