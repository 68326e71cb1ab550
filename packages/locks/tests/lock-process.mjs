/**
 * A process that uses a lock. usage: node lock-process.mjs count|hold URL NAME TTL_MS FILE ROUNDS
 *  count  Reads a number from the file and writes the next one, ROUNDS times, each under the lock, and notes its tokens.
 *  hold   Prints its token, waits for a line of input, and prints whether it can extend the lock.
 */
import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { openLocks } from "@runledger/locks";

const [mode, url = "", name = "", ttlMs, file = "", rounds] = process.argv.slice(2);
const locks = openLocks(url);

/** On a busy machine a short session may be over before it holds the lock. */
async function acquire() {
  for (;;)
    try {
      return await locks.acquire(name, { ttlMs: Number(ttlMs) });
    } catch (error) {
      if (/** @type {{ code?: string }} */ (error).code !== "LOCK_UNAVAILABLE") throw error;
    }
}

for (let left = mode === "count" ? Number(rounds) : 0; left > 0; left--) {
  const lock = await acquire();
  const count = Number(readFileSync(file, "utf8"));
  appendFileSync(`${file}.tokens`, `${lock.token}\n`);
  await delay(5);
  writeFileSync(file, String(count + 1));
  await lock.release();
}

if (mode === "hold") {
  const lock = await acquire();
  console.log(lock.token);
  await once(process.stdin, "data");
  const result = await lock.extend().then(
    () => "extended",
    (/** @type {unknown} */ error) => /** @type {{ code: string }} */ (error).code,
  );
  console.log(result);
  process.stdin.destroy();
}

await locks.close();
