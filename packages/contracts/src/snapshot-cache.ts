/**
 * Keeps copies of what readers see of runs, outside of the store. A cache may lose an entry at any time, and may return an
 * entry that was replaced long ago. So each entry carries its version, and its reader compares the version with the store
 * (F10).
 */
export interface SnapshotCache {
  /** Name in metrics, such as `redis`. */
  readonly name: string;
  /** `true` if other processes, or other programs, can read the entries. */
  readonly isShared: boolean;
  /** Returns the entry, or `null`. Throws if the cache does not respond in time; the caller then reads the store. */
  get(key: string): Promise<string | null>;
  /** Stores the entry, or drops it if it is too large. Throws if the cache does not respond in time. */
  set(key: string, entry: string): Promise<void>;
  close(): Promise<void>;
}
