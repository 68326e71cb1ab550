/** Transactions that write to the log: in turn on standard tables, and under a distributed lock if there is one (P11). */
import { RetryError, RunledgerError, StopError, type HeldLock, type LockService } from "@runledger/contracts";
import { appendLock, isRefused, storedFence, toFence } from "./append-lock.js";
import type { Call, Database, Row } from "./client.js";
import type { Shape } from "./connection-url.js";

/** Runs statements that commit together, like `Database.transaction`. */
export type Write = (calls: readonly Call[], answer: Call) => Promise<Row[]>;

export interface WriterLock {
  readonly locks: LockService;
  /** The same for all writers of the ledger. */
  readonly name: string;
  readonly ttlMs: number;
}

/** How long a writer waits for the lock. */
const WAIT_MS = 30_000;

export function writer(db: Database, shape: Shape, lock: WriterLock | null): Write {
  if (shape === "hybrid") return (calls, answer) => db.transaction(calls, answer);
  return lock === null ? alone(db) : underLock(db, lock);
}

function alone(db: Database): Write {
  return async (calls, answer) => {
    try {
      return await db.transaction([...appendLock("standard"), ...calls], answer);
    } catch (error) {
      if (isFault(error) && toFence(await db.read(storedFence)).token > 0) throw needsLock(error);
      throw error;
    }
  };
}

function underLock(db: Database, { locks, name, ttlMs }: WriterLock): Write {
  let after = -1;
  const highest = async (): Promise<number> => toFence(await db.read(storedFence)).token;
  const acquire = async (): Promise<HeldLock> => {
    if (after < 0) after = await highest();
    const signal = AbortSignal.timeout(WAIT_MS);
    return locks.acquire(name, { ttlMs, after, signal }).catch((error: unknown) => {
      throw error === signal.reason ? waitedTooLong() : error;
    });
  };
  return async (calls, answer) => {
    const lock = await acquire();
    try {
      if (lock.isExpired()) throw lockLost(lock);
      const rows = await fenced(db, lock, calls, answer);
      after = Math.max(after, lock.token);
      return rows;
    } catch (error) {
      if (error instanceof RetryError && error.code === "LOCK_LOST") after = await highest();
      throw error;
    } finally {
      await lock.release();
    }
  };
}

/**
 * Takes the fence twice, first in its own transaction. This session then sees its own commit and all earlier ones, so those
 * of every previous holder, under any READ_CONSISTENCY_MODE. The second time proves that no other writer came in between.
 */
async function fenced(db: Database, lock: HeldLock, calls: readonly Call[], answer: Call): Promise<Row[]> {
  const fence = appendLock("standard", lock);
  try {
    return await db.transaction([...fence, ...calls], answer, fence);
  } catch (error) {
    if (isFault(error) && isRefused(lock, toFence(await db.read(storedFence)))) throw lockLost(lock, error);
    throw error;
  }
}

/** Snowflake refused a statement; it may be the one that takes the fence. */
function isFault(error: unknown): boolean {
  return error instanceof RunledgerError && error.code === "STORE_FAULT";
}

function lockLost({ token }: HeldLock, cause?: unknown): RetryError {
  const message =
    `The lock of this ledger expired or passed to another writer before this one (token ${token}) had finished. ` +
    "Nothing was written. Append the same events again.";
  return new RetryError("LOCK_LOST", message, { cause });
}

function waitedTooLong(): RetryError {
  const message = `Other writers held the lock of this ledger for ${WAIT_MS / 1000} seconds. Nothing was written. Try again.`;
  return new RetryError("STORE_BUSY", message);
}

function needsLock(cause: unknown): StopError {
  const message =
    "Other processes write to these tables under a distributed lock, so nothing was written without it. " +
    "Open the store with the same lock: snowflake://…?shape=standard&lock=redis%3A%2F%2F….";
  return new StopError("STORE_UNSUITABLE", message, { cause });
}
