/**
 * A process that appends to Snowflake under a distributed lock. usage: node locked-writer.mjs URL LOCK CLIENT TURNS TTL_MS FILE [HOLD]
 * Writes the history of its calls to FILE. With HOLD it prints its token when it holds the lock for the HOLD-th time, and waits for
 * a line of input. From then on its own clock never tells it that a lock has expired, so only the store can find out.
 */
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { openLocks } from "@runledger/locks";
import { runClient } from "@runledger/store-conformance";
import { SnowflakeStore } from "@runledger/store-snowflake";

const [url = "", lockUrl = "", client = "", turns, ttlMs, file = "", hold] = process.argv.slice(2);
const locks = openLocks(lockUrl);
let acquired = 0;

/** @type {import("@runledger/contracts").LockService} */
const holding = {
  ...locks,
  acquire: async (name, options) => {
    const lock = await locks.acquire(name, options);
    if (++acquired !== Number(hold)) return lock;
    console.log(`holds ${lock.token}`);
    await once(process.stdin, "data");
    return { ...lock, isExpired: () => false };
  },
};

const store = await SnowflakeStore.open({
  url,
  lock: holding,
  lockTtlMs: Number(ttlMs),
  poolSize: 2,
  gatheringWindowMs: 1,
  migrate: false,
});
const seed = Number(client.replaceAll(/\D/g, ""));
writeFileSync(file, JSON.stringify(await runClient(store, { client, seed, turns: Number(turns) })));
await store.close();
await locks.close();
console.log("finished");
process.stdin.destroy();
