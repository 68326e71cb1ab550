/**
 * Locks in Redis. The lock is a key that expires; the last token is a key that stays. Redis may lose both: by a crash, a failover,
 * an old dump, or FLUSHALL. So each acquisition carries the highest token of the guarded store, and starts above it (P11).
 */
import { randomUUID } from "node:crypto";
import { StopError, type AcquireOptions, type HeldLock, type LockService } from "@runledger/contracts";
import { deadline, lost, now, pause, throwIfAborted, unavailable } from "../deadline.js";
import { redisConnection, type RedisConnection } from "./redis-connection.js";

export interface RedisLocksOptions {
  /** `redis://…` or `rediss://…`. */
  readonly url: string;
}

/** A waiter tries again after a time between these, so that waiters do not try at the same moment. */
const POLL_MS = { least: 20, most: 80 };

/** Returns the token, or 0 if another caller holds the lock. */
const ACQUIRE = `
if not redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then return 0 end
local last = tonumber(redis.call('GET', KEYS[2]) or '0')
if last < tonumber(ARGV[3]) then redis.call('SET', KEYS[2], ARGV[3]) end
return redis.call('INCR', KEYS[2])`;

const EXTEND = `
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call('PEXPIRE', KEYS[1], ARGV[2])`;

const RELEASE = `
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call('DEL', KEYS[1])`;

export function redisLocks({ url }: RedisLocksOptions): LockService {
  const connection = redisConnection(url);
  return {
    name: "Redis",
    acquire: (name, options) => acquire(connection, name, options),
    close: () => connection.close(),
  };
}

async function acquire(redis: RedisConnection, name: string, options: AcquireOptions): Promise<HeldLock> {
  const { ttlMs, after = 0, signal } = options;
  const holder = randomUUID();
  const keys = keysOf(name);
  throwIfAborted(signal);
  for (;;) {
    const since = now();
    const token = await run(redis, ACQUIRE, keys, [holder, ttlMs, after]);
    if (token !== 0) return heldLock(redis, { name, holder, token, ttlMs, since });
    await pause(POLL_MS.least + Math.random() * (POLL_MS.most - POLL_MS.least), signal);
  }
}

/** Both keys are in one slot of a cluster. */
function keysOf(name: string): string[] {
  return [`runledger:lock:{${name}}`, `runledger:lock:{${name}}:token`];
}

async function run(redis: RedisConnection, script: string, keys: string[], values: unknown[]): Promise<number> {
  try {
    return await redis.evaluate(script, keys, values.map(String));
  } catch (error) {
    throw error instanceof StopError ? error : unavailable("Redis", error);
  }
}

interface Acquired {
  readonly name: string;
  readonly holder: string;
  readonly token: number;
  readonly ttlMs: number;
  /** Before the request was sent: the key expires later than this process assumes. */
  readonly since: number;
}

function heldLock(redis: RedisConnection, { name, holder, token, ttlMs, since }: Acquired): HeldLock {
  const keys = keysOf(name);
  let isExpired = deadline(ttlMs, since);
  return {
    token,
    holder,
    isExpired: () => isExpired(),
    extend: async () => {
      const sent = now();
      if (isExpired() || (await run(redis, EXTEND, keys, [holder, ttlMs])) === 0) {
        isExpired = () => true;
        throw lost(name);
      }
      isExpired = deadline(ttlMs, sent);
    },
    release: async () => {
      isExpired = () => true;
      await run(redis, RELEASE, keys, [holder]).catch(() => {}); // it expires
    },
  };
}
