/** Opens the cache that a URL selects. A wrong setting is refused at the start; a server that does not respond is not. */
import { InputError, type SnapshotCache } from "@runledger/contracts";
import { realTimers, type Timers } from "../time/timers.js";
import { loadCacheClient } from "./load-cache-client.js";
import { connectMemcached } from "./memcached-cache.js";
import { MemoryCache } from "./memory-cache.js";
import { connectRedis } from "./redis-cache.js";
import { RemoteCache, type CacheClient } from "./remote-cache.js";

/** Settings of the cache through which a server reads runs. */
export interface CacheSettings {
  /**
   * `memory:`, `redis://host:6379`, `rediss://…`, `memcached://host:11211`, or `none:`. RUNLEDGER_CACHE takes precedence.
   * Default `memory:`.
   */
  readonly url?: string;
  /** Bytes of all entries in this process. Default 64 MB. */
  readonly maxBytes?: number;
  /** Seconds that an entry is kept. Default 3600. */
  readonly ttlSeconds?: number;
  /** Milliseconds that a request waits for Redis or Memcached before it reads the store. Default 100. */
  readonly timeoutMs?: number;
  /** Put in front of keys in Redis and Memcached. Default `runledger:`. */
  readonly prefix?: string;
}

export interface CacheParts {
  readonly timers?: Timers;
  /** Receives the error once when a cache becomes unavailable. */
  readonly onUnavailable: (error: unknown) => void;
}

const DEFAULTS = { url: "memory:", maxBytes: 64 * 1024 * 1024, ttlSeconds: 3600, timeoutMs: 100, prefix: "runledger:" };
/** A key in Memcached has at most 250 characters. */
const MAX_PREFIX = 100;

/** Returns `null` for `none:`. */
export async function openCache(settings: CacheSettings, parts: CacheParts): Promise<SnapshotCache | null> {
  const { url, ttlSeconds, ...limits } = checkCacheSettings(settings);
  const ttlMs = ttlSeconds * 1000;
  const { timers = realTimers } = parts;
  switch (kindOf(url)) {
    case "none":
      return null;
    case "memory":
      return localCache(settings, timers);
    case "redis":
      await loadCacheClient("redis", () => import("redis"));
      return remote("redis", () => connectRedis(url, ttlMs));
    case "memcached":
      await loadCacheClient("memcache-client", () => import("memcache-client"));
      return remote("memcached", () => connectMemcached(url, ttlMs));
  }
  function remote(name: string, connect: () => Promise<CacheClient>): SnapshotCache {
    const { onUnavailable } = parts;
    return new RemoteCache({ name, connect, ...limits, timers, onUnavailable });
  }
}

/** Returns a cache in this process with the same limits. */
export function localCache(settings: CacheSettings, timers: Timers = realTimers): MemoryCache {
  const { maxBytes, ttlSeconds } = checkCacheSettings(settings);
  return new MemoryCache({ maxBytes, ttlMs: ttlSeconds * 1000 }, timers);
}

/** Throws CONFIG_INVALID if a setting is wrong. */
export function checkCacheSettings(settings: CacheSettings): Required<CacheSettings> {
  const all = { ...DEFAULTS, ...settings };
  kindOf(all.url);
  for (const name of ["maxBytes", "ttlSeconds", "timeoutMs"] as const)
    if (!Number.isInteger(all[name]) || all[name] < 1)
      throw wrong(name, `must be a whole number above 0, not ${all[name]}.`);
  if (typeof all.prefix !== "string" || all.prefix.length > MAX_PREFIX || !/^[\x21-\x7e]*$/.test(all.prefix))
    throw wrong("prefix", `must have at most ${MAX_PREFIX} characters, without spaces.`);
  return all;
}

type CacheKind = "none" | "memory" | "redis" | "memcached";

function kindOf(url: string): CacheKind {
  if (url === "none:" || url === "memory:") return url.slice(0, -1) as CacheKind;
  const { protocol = "", hostname = "" } = typeof url === "string" && URL.canParse(url) ? new URL(url) : {};
  if (hostname !== "" && (protocol === "redis:" || protocol === "rediss:")) return "redis";
  if (hostname !== "" && protocol === "memcached:") return "memcached";
  throw wrong("url", "must be memory:, redis://host:6379, rediss://host:6379, memcached://host:11211 or none:.");
}

/** Does not repeat the URL, which may contain a password. */
function wrong(name: string, message: string): InputError {
  return new InputError("CONFIG_INVALID", `cache.${name}`, message);
}
