import { InputError, StopError, type LockService } from "@runledger/contracts";
import type * as Locks from "@runledger/locks";
import type { SnowflakeTarget } from "./connection-url.js";
import type { WriterLock } from "./locked-writes.js";

/** How long a lock outlives a writer that is lost. */
const TTL_MS = 15_000;

export interface OpenedLock extends WriterLock {
  /** Closes a service that was opened for this store. */
  close(): Promise<void>;
}

/** Returns `null` if the store has no lock. A URL is opened with `@runledger/locks`, an optional peer dependency. */
export async function openLock(
  target: SnowflakeTarget,
  lock: string | LockService | undefined = target.lock,
  ttlMs = TTL_MS,
): Promise<OpenedLock | null> {
  if (lock === undefined) return null;
  if (target.shape !== "standard")
    throw new InputError("STORE_URL_INVALID", "lock", "is only for shape=standard; rows of hybrid tables are locked.");
  const isUrl = typeof lock === "string";
  const locks = isUrl ? (await loadLocks()).openLocks(lock) : lock;
  return { locks, name: lockName(target), ttlMs, close: async () => (isUrl ? locks.close() : undefined) };
}

/** Names the ledger. Writers whose URLs name it differently do not wait for each other, and the fence refuses some of them. */
function lockName({ account, database, schema }: SnowflakeTarget): string {
  return `snowflake/${account}/${database}/${schema}`.toUpperCase();
}

async function loadLocks(): Promise<typeof Locks> {
  try {
    return await import("@runledger/locks");
  } catch (error) {
    const { code, message = "" } = error as { readonly code?: string; readonly message?: string };
    if (code !== "ERR_MODULE_NOT_FOUND" || !message.includes("'@runledger/locks'")) throw error;
    const what = "The lock of this store needs the package @runledger/locks, which is not installed.";
    throw new StopError("STORE_UNSUITABLE", `${what} Run npm install @runledger/locks, and redis for redis://.`);
  }
}
