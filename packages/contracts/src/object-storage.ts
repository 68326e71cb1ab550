/** A range of an object. */
export interface ObjectRange {
  readonly key: string;
  /** Offset of the first byte. Default 0. */
  readonly start?: number;
  /** Offset behind the last byte. Default: the size of the object. */
  readonly end?: number;
}

export interface StoredObject {
  readonly key: string;
  readonly sizeBytes: number;
  /** ISO 8601. */
  readonly createdAt: string;
}

/**
 * A folder or a bucket: bytes by key. A key is a relative path with `/`, of letters, digits, `.`, `_`, `=` and `-`. Other errors
 * than those below are those of the client.
 */
export interface ObjectStorage {
  /** URL without credentials, parameters and a final slash. The address of an object is the URL, `/` and its key. */
  readonly url: string;
  /**
   * Creates an object from a stream, with a bounded part of it in memory. Readers see the whole object or none. Throws
   * ARTIFACT_EXISTS if the key is taken: no object is ever replaced. If it fails, it removes the parts it has written.
   */
  create(params: { readonly key: string; readonly content: AsyncIterable<Uint8Array> }): Promise<void>;
  /** Streams a range that is not empty. Returns `null` if there is no such object. */
  read(range: ObjectRange): Promise<AsyncIterable<Uint8Array> | null>;
  /** Returns `null` if there is no such object. */
  sizeOf(key: string): Promise<number | null>;
  /** Lists the objects whose keys start with `prefix` and sort after `after`, by key. */
  list(params: { readonly prefix: string; readonly after?: string }): AsyncIterable<StoredObject>;
  /** Does nothing if there is no such object. */
  remove(key: string): Promise<void>;
  /** Removes the parts of writes that started before that time and did not finish. Returns their number. */
  removeAbandoned(params: { readonly olderThanMs: number }): Promise<number>;
  /** Returns a URL that downloads the object as an attachment without credentials, or `null` if it cannot sign one. */
  link(params: {
    readonly key: string;
    readonly fileName: string;
    readonly expiresInSeconds: number;
  }): Promise<string | null>;
  close(): void;
}
