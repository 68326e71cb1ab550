import type { AbortSignalLike } from "./event-log.js";

/**
 * Locks that processes share through a server, such as Redis or ZooKeeper.
 *
 * A lock expires, so a holder that was suspended may continue after another process has acquired the lock. No holder can rule
 * this out by itself. So each acquisition has a token, and the store that the lock guards refuses a token below the highest
 * one that it has seen (P11). Without this check a lock prevents conflicts most of the time, but not always.
 */
export interface LockService {
  /** Name in messages, such as `Redis`. */
  readonly name: string;
  /**
   * Resolves when this caller holds the lock. Throws LOCK_UNAVAILABLE if the server does not answer; the caller may then
   * hold the lock without knowing until it expires. Rejects with the reason of `signal` if that aborts.
   */
  acquire(name: string, options: AcquireOptions): Promise<HeldLock>;
  /** Closes all connections. Locks that are still held expire. */
  close(): Promise<void>;
}

export interface AcquireOptions {
  /** Milliseconds after which the lock expires if its holder neither extends nor releases it. */
  readonly ttlMs: number;
  /**
   * The highest token that the guarded store has seen. The new token is above it, even if the server has lost its memory.
   * Default 0.
   */
  readonly after?: number;
  readonly signal?: AbortSignalLike;
}

export interface HeldLock {
  /**
   * Above the token of every earlier acquisition of this name. If the server has lost its memory, it is only above `after`;
   * then two holders can have the same token, and `holder` distinguishes them.
   */
  readonly token: number;
  /** Unique for each acquisition. */
  readonly holder: string;
  /** Returns `true` if the lock has expired by the clock of this process, or if its session was lost. */
  isExpired(): boolean;
  /** Restarts the time to live. Throws LOCK_LOST if the lock has expired or another caller holds it. */
  extend(): Promise<void>;
  /** Releases the lock if it is still held. Never throws: a lock that cannot be released expires. */
  release(): Promise<void>;
}
